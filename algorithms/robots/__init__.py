"""Robots: serial arms in the paper's frames, with side branches; read from files or generated.

`chain`: an arm as stacked arrays. `joints`: the types there are. `reader`: robot files and the bundled
robots; `urdf`: the same from URDF. `generators`: arms from a few words. `newton_euler`, `tree`: motion and
forces of an arm at a state, in matrices.
"""
