"""Jets: where one link is against another, how fast that changes, and how fast that does.

The jet of a span of links is 8 x 3, all in the frame at its inner end: R, turning from the frame at its outer
end (three rows); p, the outer origin; omega and u, the angular velocity of the outer end and the velocity of
its origin; wdot and b, their accelerations. It is a curve of poses to second order, and curves compose.

`link` makes those of single links, `span` those of several, and uses them.
"""
