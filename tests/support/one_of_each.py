"""A plugin of pytest that keeps one case of every test, the one whose turn it is at this commit."""

from collections import defaultdict

from sampling import in_turn


def pytest_collection_modifyitems(items):
    """Leave out the other cases."""
    by_test = defaultdict(list)
    for item in items:
        by_test[item.nodeid.partition("[")[0]].append(item)
    items[:] = [item for test, cases in by_test.items() for item in in_turn(cases, len(cases), test)]
