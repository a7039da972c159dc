// The critical path: every cycle of the makespan once, as a line over the timeline that can be followed.
Senn.path = (() => {
  // How high above the picture's top a piece lies: along the control unit, the engine, or the DMA that sends.
  const height = (record, layout, k) => {
    const { array, node, message } = record.table('path');
    const band = layout.bands.find((one) => one.array === array[k]);
    if (node[k] < 0 || !band.height) return band.control + layout.controlHeight - 2;
    const [y0, y1] = layout.edges(message[k] >= 0, node[k], node[k]);
    return band.nodes + Math.min(Math.max((y0 + y1) / 2, 0), band.height);
  };

  const pieceAt = (record, cycle) => record.column('path.start').findLastIndex((start) => start <= cycle);

  const draw = (context, record, state, layout) => {
    const { start, end } = record.table('path');
    const line = (first, last, width, colour) => {
      context.beginPath();
      for (let k = first; k <= last; k += 1) {
        const y = height(record, layout, k);
        context.lineTo(layout.x(start[k]), y);
        context.lineTo(layout.x(end[k]), y);
      }
      context.lineWidth = width;
      context.strokeStyle = Senn.theme.css(colour);
      context.stroke();
    };
    const [first, last, now] = [state.from, state.to, state.cycle].map((cycle) => pieceAt(record, cycle));
    const dense = last - first > (layout.right - layout.left) / 8;
    line(first, last, dense ? 2 : 5, 'paper');
    line(first, last, dense ? 1 : 2, 'focus');
    line(now, now, 6, 'focus');
  };

  const open = (timeline, record, facts, view, pick) => {
    const { start, end, label, array, instruction, message } = record.table('path');
    const labels = record.words('path.label');
    const at = (cycle) => pieceAt(record, cycle);
    const chosenOf = (k) =>
      message[k] < 0
        ? { kind: 'instruction', row: record.rowOf(array[k], instruction[k]) }
        : { kind: 'message', row: message[k] };
    const spent = (k) => facts.spent[labels[label[k]]];
    const text = (k) => `${spent(k)} of ${pick.named(chosenOf(k))}\n${pick.cycles(start[k], end[k])}`;

    const go = (k) => {
      if (!(k in start)) return;
      pick.choose(chosenOf(k));
      view.set({ cycle: start[k], path: true });
      view.show(start[k], end[k]);
      timeline?.canvas.scrollIntoView({ block: 'nearest' });
    };
    const follow = (by) => go(at(view.state.cycle) + by);
    const toggle = () => (view.state.path ? view.set({ path: false }) : follow(0));

    // The buttons: shown or not, and which piece it is.
    const wire = (button, note) => {
      button.parentElement.hidden = !start.length;
      view.on((state) => {
        const k = at(state.cycle);
        const many = `${k + 1} of ${start.length}: ${spent(k)}`;
        button.setAttribute('aria-pressed', state.path);
        note.textContent = state.path ? `${many}, ${pick.cycles(start[k], end[k])}` : '';
      });
    };
    return { at, text, go, follow, toggle, wire };
  };

  return { open, draw, height };
})();
