"""Vicuna and LongChat, by LMSYS.

FastChat is the maker's own code, so its templates are the official ones and keep their names.
"""

from lect.plugin import Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

VICUNA = TurnTemplate(
    "vicuna_v1.1",
    system=Turn("", " "),
    user=Turn("USER: ", " ", bare="USER:"),
    assistant=Turn("ASSISTANT: ", "</s>", bare="ASSISTANT:"),
    generation="ASSISTANT:",
    default_system=(
        "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers to the user's questions."
    ),
    stop={"</s>": 2},
    markers=["USER:", "ASSISTANT:", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    text_separators=True,
    source="lm-sys/FastChat, fastchat/conversation.py: vicuna_v1.1",
)
# Vicuna v0 begins every conversation with one example, so that the model sees the format at work.
ONE_SHOT = TurnTemplate(
    "one_shot",
    system=Turn("", "\n### "),
    user=Turn("Human: ", "\n### ", bare="Human:"),
    assistant=Turn("Assistant: ", "\n### ", bare="Assistant:"),
    generation="Assistant:",
    default_system=(
        "A chat between a curious human and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers to the human's questions."
    ),
    examples=[
        ("user", "Got any creative ideas for a 10 year old’s birthday?"),
        (
            "assistant",
            "Of course! Here are some creative ideas for a 10-year-old's birthday party:\n"
            "1. Treasure Hunt: Organize a treasure hunt in your backyard or nearby park. Create clues and riddles for "
            "the kids to solve, leading them to hidden treasures and surprises.\n"
            "2. Science Party: Plan a science-themed party where kids can engage in fun and interactive experiments. "
            "You can set up different stations with activities like making slime, erupting volcanoes, or creating "
            "simple chemical reactions.\n"
            "3. Outdoor Movie Night: Set up a backyard movie night with a projector and a large screen or white sheet. "
            "Create a cozy seating area with blankets and pillows, and serve popcorn and snacks while the kids enjoy a "
            "favorite movie under the stars.\n"
            "4. DIY Crafts Party: Arrange a craft party where kids can unleash their creativity. Provide a variety of "
            "craft supplies like beads, paints, and fabrics, and let them create their own unique masterpieces to take "
            "home as party favors.\n"
            "5. Sports Olympics: Host a mini Olympics event with various sports and games. Set up different stations "
            "for activities like sack races, relay races, basketball shooting, and obstacle courses. Give out medals "
            "or certificates to the participants.\n"
            "6. Cooking Party: Have a cooking-themed party where the kids can prepare their own mini pizzas, cupcakes, "
            "or cookies. Provide toppings, frosting, and decorating supplies, and let them get hands-on in the "
            "kitchen.\n"
            "7. Superhero Training Camp: Create a superhero-themed party where the kids can engage in fun training "
            "activities. Set up an obstacle course, have them design their own superhero capes or masks, and organize "
            "superhero-themed games and challenges.\n"
            "8. Outdoor Adventure: Plan an outdoor adventure party at a local park or nature reserve. Arrange "
            "activities like hiking, nature scavenger hunts, or a picnic with games. Encourage exploration and "
            "appreciation for the outdoors.\n"
            "Remember to tailor the activities to the birthday child's interests and preferences. Have a great "
            "celebration!",
        ),
    ],
    stop=["###"],
    markers=["### Human:", "### Assistant:", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>", "</s>"],
    text_separators=True,
    source="lm-sys/FastChat, fastchat/conversation.py: one_shot",
)

adapter = Family(
    "vicuna",
    Rule("vicuna ?7|13 ?b ?delta v 0", ONE_SHOT, note="v0 was trained on the older format"),
    Rule("vicuna # b v 1.1|1.3|1.5", VICUNA),
    Rule("vicuna ?# ?b ?delta ?v 1.1|1.3|1.3.0|1.5", VICUNA),
    Rule("vicuna 33 b", VICUNA, note="its first version was v1.3"),
    Rule("vicuna", None, note="without a version it may be v0, 'vicuna:one_shot', or later, 'vicuna:vicuna_v1.1'"),
    Rule("longchat 7|13 b", VICUNA),
)
