"""Robots: serial arms in the paper's frames, with side branches; read from files or generated.

`chain`: an arm as stacked arrays, its faults, and its configuration at q. `bodies`: chains from the frames
of files. `joints`: the types of joints, and their shares of q. `reader`: robot files and the bundled robots.
`urdf`: robots from URDF. `generators`: arms from a few words. `newton_euler`: motion and forces of an arm at
a state. `side_tree`: the structure of side branches.
"""
