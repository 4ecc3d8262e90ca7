"""The chat page: `streamlit run app.py`."""

import streamlit as st

from memary_core.ui import agents, chat, frame, pictures, session, welcome

memory = frame.page("Chat", "centered")
conversation = chat.current(memory)
turns = memory.turns(conversation)
running = session.generations().of(conversation, memory.folder)

sent = st.chat_input(
    "Tell me something, or ask",
    key=session.page_key("message"),
    max_chars=20_000,
    accept_file="multiple",
    file_type=pictures.TYPES,
    max_upload_size=pictures.MEGABYTES,
)
if sent:
    agents.ask(sent.text, sent.files)
if running is None and agents.queue():
    after = turns[-1].seq if turns else 0
    running = agents.begin(memory, conversation, agents.queue().pop(0), after)
elif running is None:
    agents.read_left_over(memory)

chat.header(memory, conversation)
if running is not None:
    turns = [each for each in turns if each.seq <= running.after]
chat.footer(memory, running)
# What an emptied place held is gone at once; anything else would stay, greyed, until an answer is over.
place = st.empty()
if turns:
    chat.history(memory, turns)
elif running is None:
    with place.container():
        welcome.draw(memory)
if running is not None:
    chat.live(memory, running)
    chat.finish(memory, conversation, running)
    st.rerun()
