// The picture of the whole run: draws when something has changed, once for each frame of the screen.
Senn.timeline = (() => {
  const open = (canvas, note, record, facts, view) => {
    const context = canvas.getContext('2d');
    const { state } = view;
    let layout = null;
    let asked = false;
    let covered = []; // pixels of each array, as its picture says

    // Messages that go with what is chosen, or with the step that is looked for.
    const messages = () => {
      const { chosen, step } = state;
      if (chosen?.kind === 'message') return [chosen.row];
      if (chosen?.kind === 'instruction') return record.messagesSentBy(chosen.row);
      if (!step) return [];
      return Senn.search.rowsOf(record, step).flatMap((row) => Array.from(record.messagesSentBy(row)));
    };

    const draw = () => {
      asked = false;
      const { ratio } = Senn.fit(canvas, (width) => {
        layout = Senn.rows.layout(facts, state, width);
        return layout.height;
      });
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      Senn.axis.draw(context, facts, state, layout);
      covered = layout.bands.map((band) => {
        const painted = Senn.bands.paint(record, facts, state, layout, band, ratio);
        blit(painted.image, layout.left * ratio, band.control * ratio);
        return painted.covered / (ratio * ratio);
      });
      clipped(() => {
        for (const band of layout.bands) {
          if (!facts.perNode) Senn.marks.seams(context, record, state, layout, band);
          Senn.marks.parts(context, record, facts, layout, band);
          if (!facts.perNode) Senn.marks.labels(context, record, state, layout, band);
        }
        say(state.arrows ? Senn.marks.arrows(context, record, messages(), state, layout) : null);
        chosen();
        if (state.path) Senn.path.draw(context, record, state, layout);
        Senn.marks.cursor(context, state, layout);
      });
      Senn.marks.names(context, state, layout);
    };

    // The bars over what is there: putImageData would wipe it out.
    const under = document.createElement('canvas');
    const blit = (image, x, y) => {
      under.width = image.width;
      under.height = image.height;
      under.getContext('2d').putImageData(image, 0, 0);
      context.save();
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.drawImage(under, Math.round(x), Math.round(y));
      context.restore();
    };

    const clipped = (what) => {
      context.save();
      context.beginPath();
      context.rect(layout.left - 1, 0, layout.right - layout.left + 2, layout.height);
      context.clip();
      what();
      context.restore();
    };

    const say = (arrows) => {
      const thinned = arrows && arrows.drawn < arrows.there;
      const text = thinned
        ? `${Senn.count(arrows.drawn)} of ${Senn.count(arrows.there)} messages are drawn: zoom in for all`
        : arrows?.there
          ? `${Senn.count(arrows.there)} message${arrows.there === 1 ? '' : 's'} drawn`
          : '';
      if (note.textContent !== text) note.textContent = text;
    };

    const chosen = () => {
      const at = state.chosen;
      if (!at) return;
      if (at.kind === 'range') {
        Senn.marks.range(context, layout, at.from, at.to);
        return;
      }
      const get = (name) => record.column(name)[at.row];
      if (at.kind === 'instruction') {
        const { control } = layout.bands.find(({ array }) => array === get('instructions.array'));
        const [issue, end] = [get('instructions.issue'), get('instructions.end')];
        Senn.marks.frame(context, layout, issue, end, control, control + layout.controlHeight);
      } else if (at.kind === 'activity') {
        lane(get('activities.array'), get('activities.node'), false, get('activities.start'), get('activities.end'));
      } else {
        for (const hop of record.hopsOf(at.row)) {
          const { begin, left } = record.stays();
          lane(record.ofHop(hop, 'source_array'), record.ofHop(hop, 'source_node'), true, begin[hop], left[hop]);
        }
      }
    };

    const lane = (array, node, isDma, start, end) => {
      const band = layout.bands.find((one) => one.array === array);
      const [y0, y1] = layout.edges(isDma, node, node);
      Senn.marks.frame(context, layout, start, end, band.nodes + y0, band.nodes + y1);
    };

    const ask = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(draw);
    };

    view.on(ask);
    Senn.theme.on((now) => (now ? draw() : ask()));
    new ResizeObserver(ask).observe(canvas.parentElement);
    draw();
    return { canvas, layout: () => layout, covered: () => covered, draw };
  };

  return { open };
})();
