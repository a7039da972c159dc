// The time axis above the bars: in cycles, or in microseconds where runs of two clocks stand below each other.
Senn.axis = (() => {
  // Round numbers, at least `least` and about `room` apart.
  const ticks = (from, to, count, least) => {
    const rough = (to - from) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(least, [1, 2, 5, 10].find((by) => by * power >= rough) * power);
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
    return found;
  };

  // A cycle as the axis has it: by itself, or as time where the clock of another run differs.
  const label = (facts, cycle, digits = 6) => {
    if (!facts.timed) return Senn.count(cycle);
    return `${(cycle / facts.clock).toLocaleString('en', { maximumSignificantDigits: digits })} µs`;
  };

  // A number of cycles as texts have it, with the time beside it where clocks differ.
  const beside = (facts, cycles) => Senn.count(cycles) + (facts.timed ? ` (${label(facts, cycles, 4)})` : '');

  const draw = (context, facts, state, layout) => {
    const { css } = Senn.theme;
    const unit = facts.timed ? facts.clock : 1;
    const many = (layout.right - layout.left) / 110;
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const tick of ticks(state.from / unit, state.to / unit, many, facts.timed ? 0 : 1)) {
      const x = layout.x(tick * unit);
      context.fillStyle = css('line');
      context.fillRect(x, 17, 1, layout.height - 17);
      context.fillStyle = css('quiet');
      context.textAlign = x > layout.right - 40 ? 'right' : x < layout.left + 30 ? 'left' : 'center';
      context.fillText(label(facts, tick * unit), x, 3);
    }
  };

  return { draw, label, beside };
})();
