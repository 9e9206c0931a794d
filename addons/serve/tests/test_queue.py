"""The queue of an engine, in any order of coming, leaving and going away."""

import asyncio

from hypothesis import example, given, settings
from hypothesis import strategies as st

from lect_serve.pool import Seat
from lect_serve.refusals import RefusedRequestError

STEPS = st.lists(st.tuples(st.sampled_from(["come", "leave", "go", "run"]), st.integers(0, 5)), max_size=40)


# One goes at the very moment at which the slot would be handed over.
@example(1, 1, [("come", 0), ("run", 0), ("come", 0), ("run", 0), ("go", 1), ("leave", 0)])
@settings(max_examples=300)
@given(st.integers(1, 3), st.integers(0, 3), STEPS)
def test_no_slot_is_lost_or_given_twice_and_the_queue_is_bounded(slots, most, steps):
    async def run():
        seat = Seat(None, slots, most)
        inside, tasks = [], []

        async def visit():
            await seat.enter()
            inside.append(asyncio.current_task())

        for step, which in steps:
            if step == "come":
                tasks.append(asyncio.create_task(visit()))
            elif step == "leave" and inside:
                inside.pop(which % len(inside))
                seat.leave()
            elif step == "go" and tasks:
                tasks[which % len(tasks)].cancel()
            elif step == "run":
                await asyncio.sleep(0)
            assert seat.waiting <= most
        for _ in range(3):
            await asyncio.sleep(0)
        assert seat.open == len(inside) <= slots
        while inside:
            inside.pop()
            seat.leave()
            for _ in range(3):
                await asyncio.sleep(0)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert (seat.open, seat.waiting) == (0, 0)
        for each in results:
            assert each is None or isinstance(each, RefusedRequestError | asyncio.CancelledError), repr(each)

    asyncio.run(run())
