// Where everything of the timeline stands: array below array, in each its control unit and then its nodes.
// Few nodes have a row each, the engine above its DMA; many have a block of engines and a block of DMAs.
Senn.rows = (() => {
  const AXIS = 24; // the numbers of the cycles
  const LEVELS = 14; // the names of parts and levels
  const CONTROL = 18;
  const GAP = 6;
  const FINE = 20.5; // nodes that have rows of their own

  const heightOf = (facts) => {
    const arrays = Math.max(facts.arrays.length, 1);
    const most = Math.max(96, 460 / arrays / facts.runs);
    return facts.detail === 'full' ? Math.round(Math.min(Math.max(facts.nodes * 25, 60), most)) : 0;
  };

  const layout = (facts, state, width) => {
    const left = width < 600 ? 46 : 84;
    const nodesHeight = heightOf(facts);
    const shown = state.high - state.low;
    const fine = shown <= FINE;
    const scale = (width - left - 10) / (state.to - state.from);
    const bands = facts.arrays.map((array, index) => {
      const top = AXIS + index * (LEVELS + CONTROL + nodesHeight + 3 * GAP);
      return { array, top, control: top + LEVELS, nodes: top + LEVELS + CONTROL + GAP, height: nodesHeight };
    });

    // Top and bottom of nodes low..high (counted from the top of the nodes of an array), engine or DMA.
    // Of a DMA the part of what its messages do, or all of it: so that no bar covers another.
    const PARTS = [[0, 0.5], [0.5, 0.8], [0.8, 1]];
    const edges = (isDma, low, high) => {
      const [a, b] = PARTS[Senn.bands.DMA.indexOf(isDma)] ?? [0, 1];
      if (fine) {
        const row = nodesHeight / shown;
        const top = (low - state.low) * row;
        const [y0, y1] = isDma ? [0.66 + 0.26 * a, 0.66 + 0.26 * b] : [0.06, 0.62];
        return [top + y0 * row, top + y1 * row];
      }
      const [y0, y1] = isDma ? [0.62 + 0.38 * a, 0.62 + 0.38 * b] : [0, 0.58];
      const [begin, room] = [y0 * nodesHeight, (y1 - y0) * nodesHeight];
      const row = room / shown;
      const clipped = (node) => begin + Math.min(Math.max((node - state.low) * row, 0), room);
      return [clipped(low), clipped(high + 1)];
    };

    const last = bands[bands.length - 1];
    return {
      axis: AXIS,
      left,
      right: width - 10,
      width,
      height: (last ? last.nodes + nodesHeight : AXIS) + GAP,
      fine,
      shown,
      bands,
      controlHeight: CONTROL,
      levelsHeight: LEVELS,
      edges,
      x: (cycle) => left + (cycle - state.from) * scale,
      cycle: (x) => state.from + (x - left) / scale,
      scale,
      at: (x, y) => place(x, y),
    };

    // What stands at a point: { array, lane: 'control' | 'engine' | 'dma', node, cycle }, or null.
    function place(x, y) {
      if (x < left || x > width - 10) return null;
      const cycle = state.from + (x - left) / scale;
      const band = bands.find(({ top, nodes, height }) => y >= top && y < nodes + Math.max(height, 1));
      if (!band) return null;
      if (y < band.nodes) return { array: band.array, lane: 'control', node: -1, cycle };
      const inside = (y - band.nodes) / nodesHeight;
      if (fine) {
        const node = state.low + inside * shown;
        const lane = node % 1 < 0.64 ? 'engine' : 'dma';
        return { array: band.array, lane, node: Math.floor(node), cycle };
      }
      const isDma = inside >= 0.6;
      const share = isDma ? (inside - 0.62) / 0.38 : inside / 0.58;
      const node = Math.floor(state.low + Math.min(Math.max(share, 0), 0.9999) * shown);
      return { array: band.array, lane: isDma ? 'dma' : 'engine', node, cycle };
    }
  };

  return { layout };
})();
