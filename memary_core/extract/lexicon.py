"""What the rules know about single English words: closed classes, not sentences.

Every set holds lower-case forms as they stand in running text, or lemmas where its name says so.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KIN = _words(
    """gran aunt auntie baby boy brother child cousin dad daddy daughter ex family father fiance fiancé fiancee
    fiancée folk girl godfather godmother grandad granddad granddaughter grandfather grandkid grandma
    grandmother grandpa grandparent grandson granny husband kid mama mom mommy mother mum mummy nan nana nephew
    niece papa parent sibling sis sister son spouse stepbrother stepdad stepdaughter stepfather stepmom
    stepmother stepmum stepsister stepson toddler triplet twin uncle wife"""
)
SOCIAL = _words(
    """acquaintance assistant barber bestie bff boss boyfriend bro buddy classmate client coach colleague
    companion coworker co-worker crush dentist doctor flatmate friend gf bf girlfriend guest gp guide hairdresser
    housemate instructor landlady landlord lawyer lead manager mate mechanic mentor nanny neighbor neighbour pal
    partner physio professor psychiatrist roomie roommate student supervisor teacher teammate therapist trainer
    tutor vet"""
)
PETS = _words(
    """bunny cat chicken cow dog doggo fish gecko goat goldfish hamster hedgehog horse kitten kitty lizard owl
    parakeet parrot pet pony pup puppy rabbit rat snake tortoise turtle"""
)
KIN_NAMES = _words("mom mum mommy mummy dad daddy mama papa grandma grandpa granny grandad granddad nana gran")
"""Kin one calls by the bare word: *Mom lives in Ohio* speaks of the writer's."""
PERSON_ROLES = KIN | SOCIAL
COMPANY = KIN | _words(
    """acquaintance bestie bff boyfriend bro buddy classmate colleague companion coworker co-worker crush flatmate
    friend girlfriend bf gf housemate mate neighbor neighbour pal partner roomie roommate teammate people"""
)
"""Who is meant by kinship or acquaintance, not by trade: no names by themselves."""
NUMBERS = _words("two three four five six seven eight nine ten both 2 3 4 5 6 7 8 9 10")
MALE = _words(
    """boy boyfriend bf brother bro dad daddy father fiance fiancé godfather grandad granddad grandfather grandpa
    grandson husband landlord nephew papa son stepbrother stepdad stepfather stepson uncle"""
)
FEMALE = _words(
    """aunt auntie daughter fiancee fiancée girl girlfriend gf godmother granddaughter grandma grandmother granny
    landlady mama mom mommy mother mum mummy nan nana niece sis sister stepdaughter stepmom stepmother stepmum
    stepsister wife"""
)
ATTRIBUTES = _words(
    """address age birthday birthplace blood colour color email employer first hobby hometown height job
    language last maiden middle major name nationality nickname number occupation password pin profession
    religion size surname title tongue type username weight anniversary wedding
    graduation"""
)
"""Head nouns whose copula names a value: *my hometown is Porto* is (You, hometown, Porto)."""
SUPERLATIVES = _words("favourite favorite fav fave best least worst biggest native main preferred go-to")

STATUSES = _words(
    """vegetarian vegan pescatarian muslim christian jewish catholic protestant buddhist hindu sikh atheist agnostic
    gay lesbian bisexual straight trans queer autistic diabetic celiac coeliac asthmatic dyslexic colorblind
    colourblind president captain"""
)
"""Nouns that stand after *is* like adjectives."""
SPEAKER_PRONOUNS = _words("i me we us myself ourselves")
SPEAKER_POSSESSIVES = _words("my our")
THIRD_SINGULAR = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f"}
NOBODY = _words(
    """anybody anyone anything everybody everyone everything nobody none nothing people somebody someone something
    thing things stuff way lot lots bit one ones other others folks guys guy kind sort type couple none
    few bits bunch half
    reason point fact problem issue case idea clue doubt feeling sense chance choice matter truth
    question questions look time times minute moment second hope luck shower nap break seat care sure"""
)
"""Heads that make a fact about nothing in particular."""
ABSTRACT = _words(
    """ability access action advice ambition ambitions answer attention attitude awareness balance benefit blast break
    change changes chaos challenge challenges chat comment comments compliment compliments concern concerns confidence
    connection connections conversation courage creativity decision detail details difference dreams effect effort
    efforts encouragement energy enthusiasm event events excuse expectation expectations experience experiences
    feedback feelings focus freedom future goal goals gratitude growth heart hopes idea ideas image impact
    importance impression inspiration interest interests issues journey joy kindness laugh laughs lead leads life
    lives love mind mindset mistake mood motivation need news opinion opinions opportunities opportunity option
    options outcome part passion past patience peace perspective picnic plan plans position possibilities
    possibility power pressure priority problems process progress purpose reasons relationship respect response
    result results risk role routine schedule setback situation skills solution solutions space spirit start step
    steps story stories strength stress stuff success suggestion suggestions support surge task team_spirit
    technique thoughts tip tips topic track trouble troubles turn update updates value values vibe vibes view
    views vision visit voice wish word words world worry worries"""
)
"""Nouns too general to be the whole object of a lasting fact."""
GAINS = (
    _words(
        """job degree license licence visa car house flat apartment promotion divorce tattoo scholarship internship baby
    puppy kitten dog cat phd diploma certificate passport citizenship bike scooter motorbike boat piano guitar"""
    )
    | PETS
)
"""What *I got a ...* keeps."""
ILLS = _words(
    """surgery stroke cancer operation miscarriage transplant attack covid concussion depression burnout pneumonia
    chickenpox malaria"""
)
"""What *I had a ...* keeps, besides people and animals."""
COUNTLESS = _words("few many several more most various enough much some any")
GENERIC_THE = _words(
    """beach ocean sea mountains mountain outdoors rain snow cold heat sun dark summer winter countryside forest
    desert gym theatre theater cinema opera ballet internet piano guitar violin cello drums flute trumpet saxophone
    harp ukulele banjo accordion bass clarinet bible quran army navy"""
)
"""Nouns that *the* leaves general: *I hate the cold*."""
LIFE_EVENTS = _words(
    """buy adopt sell join found start quit marry win move visit read write study graduate publish build break get own
    inherit launch open finish complete earn teach play work retire study run become turn learn lead manage collect
    take give_up give grow stop begin design invent create direct compose record paint climb cross sail restore
    rescue raise bring_up have switch hire train coach donate lose drop attend found divorce breed pass fail"""
)
"""Verbs whose past is worth a fact although the object is a common noun."""
LASTING_PLACES = _words(
    """live work grow serve fight study major graduate retire move volunteer train play specialise specialize die
    suffer recover bear raise bring diagnose educate marry adopt teach intern practise practice participate compete
    switch convert emigrate immigrate enlist apprentice break"""
)
"""Verbs whose past with a preposition is worth a fact although the place or cause is a common noun."""
HABITS = _words(
    """work live study learn read write teach play build date train practise practice rent attend grow raise use take
    see volunteer suffer recover wear serve run manage intern major coach own stay share breed restore apprentice
    commute specialise specialize speak drive support earn"""
)
"""Verbs whose progressive tells what one does these days, not this minute."""
INABILITIES = _words(
    """stand bear eat drink tolerate digest drive swim cook speak read write sing dance have wear ride smell taste
    donate walk hear see abide handle take"""
)
DAILY = _words(
    """breakfast brunch lunch dinner supper meal snack bus train tram taxi cab walk call meeting appointment day
    cold headache fever flu hangover migraine night morning
    afternoon evening weekend week month year today tomorrow yesterday tonight hour while ride
    photo picture photos pictures email emails text message messages mistake mistakes fun"""
)
"""Objects of passing events, no more worth keeping than the weather."""

HEDGE_WORDS = _words(
    """maybe perhaps probably possibly apparently supposedly allegedly reportedly presumably seemingly hopefully
    theoretically hypothetically potentially likely almost nearly barely hardly rarely seldom scarcely kinda
    sorta afaik iirc afaict"""
)
PARTIAL = _words("only just always often usually necessarily exactly entirely completely even ever")
"""With *not* these deny only a part: *I don't always eat meat*."""
HEDGE_VERBS = _words(
    """think guess believe suppose assume reckon imagine hope wish doubt bet suspect hear wonder feel figure
    expect pretend dream"""
)
SPEECH_VERBS = _words(
    """say tell claim ask write read reply answer shout whisper insist mention explain report know hear think
    guess believe suppose assume reckon imagine hope wish doubt bet suspect wonder translate repeat swear
    pretend joke promise call sing quote add admit state announce"""
)
EMPTY_VERBS = _words(
    """be say tell ask think guess believe suppose assume reckon imagine hope wish doubt bet suspect wonder feel
    seem want need mean try let thank forget remember plan intend expect look appear happen sound show give send
    bring find hear talk wait stand sit come put turn call go do help decide consider matter agree bother mind
    tend end check set hold fall pick deal worry care notice realise realize reply mention explain recommend
    suggest pretend offer spend pay swear promise joke type click scroll print run_out sign figure like_to
    name excuse apologise apologize appreciate lie stay_up wake sleep arrive leave lose break burn drop spill"""
)
"""Lemmas of verbs that by themselves state nothing lasting; some come back with a special rule."""
HABITS_ONLY = _words("see watch make keep take hear")
"""Verbs worth a fact in the simple present (*she sees a therapist*) and noise in the past."""
KEPT_PHRASES = {"come": {"from"}, "go": {"to", "by"}, "look": {"after"}, "believe": {"in"}, "care": {"for"}}
"""Empty verbs that say something with these prepositions."""
MOTION = _words("go come move fly travel leave drive visit return head meet see get start marry arrive sail")
"""In the progressive these speak of plans: *I'm moving to Porto in March*."""
PASSING = _words("eat drink cook watch wait sit walk look listen have make do stand hold carry drive sleep bring")
"""In the progressive these speak of this minute, not of a habit."""
STATES = _words(
    """live work be have know own play love like study teach speak run use serve belong manage stay attend
    suffer collect volunteer date"""
)
"""After *have ...-ed since* these still hold."""
ABILITIES = _words("speak play read write cook drive ride dance swim code")
ASPECTUAL = _words("start stop begin quit finish resume")
TASTES = _words("like love hate enjoy prefer dislike adore despise loathe detest")
PAST_LIKE_BASE = _words("quit hit hurt cut cost bet beat split shut spread")

FACTUAL_MARKS = _words("because since although though while so cos cuz coz whereas and")
OPEN_MARKS = _words(
    "if when whenever unless until till before after once whether as like than that for in lest provided"
)
CONDITIONAL_STARTS = _words("if when whenever unless suppose supposing imagine pretend assuming once until whether say")
REQUEST_WORDS = _words(
    """translate say write repeat correct rewrite summarise summarize example sentence text lyrics title quote
    proofread spell paraphrase explain parse means phrase line story joke poem prompt read complete finish
    instance caption headline"""
)

LABELS = _words(
    """note update edit ps pps fyi fact facts disclaimer context background reminder also correction btw hint info
    bonus confession news important warning spoiler tldr summary me myself hobbies hobby job city btw well so ok
    okay anyway name age answer here today status favourites favorites likes dislikes family work allergies diet
    hi hello hey thanks yes no sure actually basically honestly background tip pets"""
)
"""Words before a colon that introduce the writer's own words; a name there introduces another's."""
BODILY = _words("allergic vegetarian vegan pregnant married divorced engaged single retired diabetic afraid scared")
STATES_OF_LIFE = _words("retired unemployed employed divorced separated widowed engaged married adopted vaccinated")
"""Participles that alone say something lasting."""
PASSING_ADJECTIVES = _words(
    """tired hungry thirsty happy sad sorry glad fine ok okay good well great bad sure busy ready late early bored
    excited sick ill able unable done back home here there curious confused worried stressed exhausted sleepy
    drunk cold hot warm angry mad upset annoyed grateful thankful nervous anxious lost stuck aware certain free
    available welcome right wrong serious kidding alive awake asleep lazy full alone close near due likely
    unlikely better best worse nice awesome amazing cool lovely crazy true false possible impossible important
    interesting hard easy difficult different same fun funny lucky safe over up down out off away new gone
    positive interested annoying afraid ashamed used next last first off delighted pleased surprised shocked impressed
    relieved elated amazed thrilled stoked pumped determined individual imperfect solid half
    disappointed frustrated overwhelmed torn clear obvious weird strange boring gorgeous beautiful
    delicious tasty yummy terrible horrible awful perfect wonderful fantastic incredible brilliant packed
    worth"""
)
"""Adjectives of a mood, a moment or an opinion: alone they are no fact about anyone."""
PASSING_WITH_PREPOSITION = _words(
    """sorry sure ready late busy glad happy done able excited good bad fine okay ok grateful thankful worried
    stressed angry mad upset annoyed curious confused aware certain nervous anxious tired sick back due right
    wrong nice new close worth lost stuck full stoked swamped pumped hyped thrilled inspired blown overwhelmed amazed
    impressed disappointed surprised touched caught torn more less satisfied pleased delighted"""
)

GREETINGS = _words(
    """hi hey hello hola yo dear thanks thank thx ok okay yes no yeah yep nope sure well so oh ah hmm wow please
    btw anyway lol haha bye goodbye cheers sorry good morning great nice cool congrats welcome and but or"""
)
CHATTER = _words(
    "lol lmao rofl haha hahaha hehe omg tbh ngl imo imho rn tho smh ikr wow ugh hmm um uh uhm erm xd rly soo sooo"
)
"""Chat words that carry no syntax; the parser reads a sentence better without them."""
SPELLINGS = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't",
    "cannot": "can't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "werent": "weren't",
    "havent": "haven't", "hasnt": "hasn't", "wont": "won't", "couldnt": "couldn't", "wouldnt": "wouldn't",
    "shouldnt": "shouldn't", "thats": "that's", "whats": "what's", "hes": "he's", "shes": "she's",
    "theyre": "they're", "youre": "you're", "u": "you", "ur": "your", "r": "are", "bc": "because",
    "cuz": "because", "coz": "because", "cos": "because", "abt": "about", "luv": "love", "lov": "love",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "teh": "the", "adn": "and", "nd": "and",
    "frm": "from", "wrk": "work", "livs": "lives", "hav": "have", "hv": "have", "liek": "like", "realy": "really",
    "alergic": "allergic", "allergc": "allergic", "favorit": "favorite", "favourit": "favourite",
    "freind": "friend", "freinds": "friends", "sistr": "sister", "borther": "brother", "brothr": "brother",
    "mothr": "mother", "wich": "which", "becuase": "because", "becasue": "because", "beacuse": "because",
    "vegitarian": "vegetarian", "studing": "studying", "mooved": "moved", "movd": "moved", "bday": "birthday",
    "b'day": "birthday", "bf": "boyfriend", "gf": "girlfriend", "hubby": "husband", "wifey": "wife",
    "bro": "brother", "sis": "sister", "y'all": "you", "yall": "you", "wit": "with",
}  # fmt: skip
"""Chat spellings and slips of the commonest words, with what the parser knows them as."""
SENTENCE_BREAKS = _words("btw anyway fyi anyways")
JOKES = ("yeah right", "/s", "/j", "jk", "just kidding", "kidding!", "not really lol", "in my dreams", "april fools")

SMALL_JOINERS = _words("of de da do dos das di del van von der den la le el al bin ibn the and & du des y e ter ten")
OFFICES = _words("ceo cto cfo coo cmo vp head director president founder co_founder manager king queen mayor chief")
TITLES = _words("mr mrs ms miss dr prof sir dame lord lady saint st professor doctor captain father sister uncle aunt")
NAME_WORDS = _words("called named nicknamed")
NOT_NAMES = _words(
    """i i'm i've i'd i'll ok okay lol omg btw fyi tbh ngl imo asap diy faq monday tuesday wednesday thursday friday
    saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april
    june july august september october november december tv pc am pm god jesus christ ps nb tldr eta aka jk
    e.g. i.e. afaik iirc idk"""
)
FOREIGN_STARTS = _words(
    """ich wir er sie es der die das ein eine mein meine je tu il elle nous vous ils le les la un une mon ma mes yo
    él nosotros el los las una mi mis eu ele ela nós o os um uma meu minha io lui lei noi lo uno mio
    я он она мы вы они мой моя ik wij hij jag vi han hon jeg ja bu hola bonjour hallo ciao olá"""
)
"""Words that open sentences in other languages and are no names."""
CALENDAR = _words(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april may june july august september october november december
    today tomorrow yesterday tonight weekend weekends"""
)
COLOURS = _words(
    "blue red green yellow purple orange pink black white brown grey gray teal turquoise violet gold silver"
)
FUTURE = ("tomorrow", "tonight", "next week", "next month", "next year", "next summer", "next spring", "next fall")
FUTURE_MORE = ("next autumn", "next winter", "soon", "later today", "this weekend", "next weekend")

PLACE_PREDICATES = _words("in to from near")
ORG_VERBS = _words("work study graduate teach intern volunteer")
ANIMATE_VERBS = _words(
    "live love like hate enjoy prefer speak eat drink study marry teach drive dislike adore grow graduate"
)

PAST_OF = {
    "written": "wrote", "eaten": "ate", "seen": "saw", "been": "was", "gone": "went", "taken": "took",
    "given": "gave", "known": "knew", "grown": "grew", "driven": "drove", "spoken": "spoke", "broken": "broke",
    "chosen": "chose", "begun": "began", "drunk": "drank", "sung": "sang", "swum": "swam", "run": "ran",
    "come": "came", "become": "became", "flown": "flew", "forgotten": "forgot", "ridden": "rode",
    "stolen": "stole", "worn": "wore", "won": "won", "done": "did", "shown": "showed", "gotten": "got",
    "drawn": "drew", "risen": "rose", "fallen": "fell", "thrown": "threw",
}  # fmt: skip
"""Past participles whose past tense looks different."""
AUXILIARIES = _words(
    """am is are was were do does did have has had can could will would shall should may might must isn't aren't
    wasn't weren't don't doesn't didn't haven't hasn't can't couldn't won't wouldn't shouldn't ca wo"""
)
