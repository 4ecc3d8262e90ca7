"""The chat page: `streamlit run app.py`."""

import streamlit as st

from memary_core.ui import chat, frame, session, welcome

memory = frame.page("Chat", "centered")
conversation = chat.current(memory)
turns = memory.turns(conversation)
running = session.generations().of(conversation, memory.folder)

message = st.chat_input("Tell me something, or ask", key=session.page_key("message"), max_chars=20_000)
if message and message.strip():
    chat.queue().append(message)
if running is None and chat.queue():
    after = turns[-1].seq if turns else 0
    running = chat.begin(memory, conversation, chat.queue().pop(0), after)

chat.header(memory, conversation)
if running is not None:
    turns = [each for each in turns if each.seq <= running.after]
chat.footer(running)
# What an emptied place held is gone at once; anything else would stay, greyed, until an answer is over.
place = st.empty()
if turns:
    chat.history(memory, turns)
elif running is None:
    with place.container():
        welcome.draw(memory)
if running is not None:
    chat.live(memory, running)
    chat.finish(conversation, running)
    st.rerun()
