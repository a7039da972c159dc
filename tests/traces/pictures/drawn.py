"""What stands on axes, read back from the artists."""

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb


def boxes(ax, color=None):
    """All rectangles as (x0, x1, y0, y1), sorted; those of a colour if one is given."""
    wanted = None if color is None else np.round(to_rgb(color), 3)
    found = []
    for artist in ax.collections:
        if isinstance(artist, PolyCollection):
            faces = np.round(artist.get_facecolor()[:, :3], 3)
            for index, path in enumerate(artist.get_paths()):
                if wanted is None or (faces[index % len(faces)] == wanted).all():
                    (x0, y0), (x1, y1) = path.vertices.min(axis=0), path.vertices.max(axis=0)
                    found.append((x0, x1, y0, y1))
    return sorted(found)


def spans(ax, color):
    """The (start, end) of the rectangles of a colour, sorted."""
    return [box[:2] for box in boxes(ax, color)]


def lines(ax, color):
    """The straight lines of a colour as (x0, y0, x1, y1), sorted."""
    wanted = np.round(to_rgb(color), 3)
    return sorted(
        (*map(float, line[0]), *map(float, line[-1]))
        for artist in ax.collections
        if isinstance(artist, LineCollection)
        if (np.round(artist.get_color()[0][:3], 3) == wanted).all()
        for line in artist.get_segments()
    )


def legend(ax):
    """The texts of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def title(ax):
    """On one line."""
    return " ".join(ax.get_title(loc="left").split())
