// The network on paper: its nodes, and its channels as curves through a point between their ends.
Senn.wires = (() => {
  const MARGIN = 26;

  // Places in pixels of a picture of this size.
  const layout = (record, facts, width, height) => {
    const { x: xs, y: ys } = record.table('places');
    const first = new Map(facts.arrays.map((array, k) => [array, k * facts.nodes]));
    const x = (value) => MARGIN + (value * (width - 2 * MARGIN)) / 1000;
    const y = (value) => MARGIN + (value * (height - 2 * MARGIN)) / 1000;
    const node = (array, number) => {
      const row = first.get(array) + number;
      return [x(xs[row]), y(ys[row])];
    };
    const { source_array, source_node, target_array, target_node, x: xMiddle, y: yMiddle } = record.table('channels');

    // [start, control point, end] of a channel's curve, which goes through its middle.
    const curve = (channel) => {
      const start = node(source_array[channel], source_node[channel]);
      const end = node(target_array[channel], target_node[channel]);
      const middle = [x(xMiddle[channel]), y(yMiddle[channel])];
      const control = middle.map((value, k) => 2 * value - (start[k] + end[k]) / 2);
      return [start, control, end];
    };

    // A point of a channel, from 0 at its source to 1 at its target.
    const along = (channel, share) => {
      const [a, b, c] = curve(channel);
      return a.map((value, k) => (1 - share) ** 2 * value + 2 * share * (1 - share) * b[k] + share ** 2 * c[k]);
    };

    const draw = (context, channel) => {
      const [a, b, c] = curve(channel);
      context.moveTo(...a);
      context.quadraticCurveTo(...b, ...c);
    };

    const apart = facts.nodes > 1 ? Math.abs(node(facts.arrays[0], 1)[0] - node(facts.arrays[0], 0)[0]) : 60;
    const radius = Math.min(Math.max(0.3 * apart, 1), 11);
    return { node, along, draw, radius, count: source_array.length };
  };

  return { layout };
})();
