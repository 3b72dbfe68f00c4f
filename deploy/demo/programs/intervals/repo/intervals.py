"""Half-open intervals of whole minutes: (start, stop), start included, stop not."""


def check(interval):
    """The interval itself; ValueError when it ends before it starts."""
    start, stop = interval
    if stop < start:
        raise ValueError(f"interval ends before it starts: {interval}")
    return interval


def length(interval):
    """Minutes in one interval."""
    start, stop = interval
    return stop - start


def overlap(first, second):
    """The part two intervals share, or None."""
    start = max(first[0], second[0])
    stop = min(first[1], second[1])
    if start < stop:
        return (start, stop)
    return None


def merge(intervals):
    """The same minutes as few intervals as possible, sorted; empty ones are dropped."""
    merged = []
    for start, stop in sorted(check(each) for each in intervals):
        if start == stop:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return merged


def gaps(intervals, opening, closing):
    """What is left free of the day from opening to closing."""
    free = []
    reached = opening
    for start, stop in merge(intervals):
        if start >= closing:
            break
        if start > reached:
            free.append((reached, start))
        reached = max(reached, stop)
    if reached < closing:
        free.append((reached, closing))
    return free


def total(intervals):
    """Minutes covered by at least one of the intervals."""
    return sum(length(each) for each in merge(intervals))
