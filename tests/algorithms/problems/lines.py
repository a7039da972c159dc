"""Texts of files for tests of their messages: a right one, of which some lines are others."""


def with_lines(text: str, new: str) -> str:
    """Each new line stands in place of that of its key; a new key behind the line before it, or at the end;
    "key =" drops one."""
    lines = text.rstrip("\n").split("\n")
    at = len(lines) - 1
    for line in new.split("\n"):
        key = line.split(" =")[0]
        same = [k for k, other in enumerate(lines) if other.split(" =")[0] == key]
        if not same:
            at += 1
            lines.insert(at, line)
        elif line.endswith(" ="):
            del lines[same[0]]
            at = same[0] - 1
        else:
            at = same[0]
            lines[at] = line
    return "\n".join(lines) + "\n"
