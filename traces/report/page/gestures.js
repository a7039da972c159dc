// The timeline by mouse, touch and keyboard.
Senn.gestures = (() => {
  const wire = (canvas, timeline, facts, view, pick, path) => {
    const { state } = view;
    const down = new Map(); // pointers that are pressed, by id
    let moved = 0;
    let begun = null; // the cycle at which a range begins that is being marked

    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };

    // A plain wheel scrolls the page, as everywhere; with Ctrl it zooms time, with Shift nodes.
    canvas.addEventListener(
      'wheel',
      (event) => {
        const at = place(event);
        const factor = 1.2 ** (Math.sign(event.deltaY || event.deltaX));
        if (event.ctrlKey || event.metaKey) view.zoom(factor, timeline.layout().cycle(at.x));
        else if (event.shiftKey) view.zoomNodes(factor, timeline.layout().at(at.x, at.y)?.node);
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX / canvas.clientWidth);
        else return;
        event.preventDefault();
      },
      { passive: false },
    );

    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      const at = place(event);
      down.set(event.pointerId, at);
      moved = 0;
      const layout = timeline.layout();
      begun = event.shiftKey || at.y < layout.axis ? Math.round(layout.cycle(at.x)) : null;
    });

    canvas.addEventListener('pointermove', (event) => {
      if (!down.has(event.pointerId)) return;
      const [before, now] = [down.get(event.pointerId), place(event)];
      const others = [...down.entries()].filter(([id]) => id !== event.pointerId);
      down.set(event.pointerId, now);
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (moved < 4) return;
      const layout = timeline.layout();
      const room = layout.right - layout.left;
      if (begun !== null) {
        const ends = [begun, Math.round(layout.cycle(now.x))].sort((a, b) => a - b);
        const [from, to] = ends.map((cycle) => Math.min(Math.max(cycle, 0), facts.last));
        if (from < to) view.set({ chosen: { kind: 'range', from, to } });
      } else if (others.length) {
        const still = others[0][1];
        const factor = Math.max(Math.abs(before.x - still.x), 8) / Math.max(Math.abs(now.x - still.x), 8);
        view.zoom(factor, layout.cycle(still.x));
      } else {
        view.pan((before.x - now.x) / room);
        const band = layout.bands[0];
        if (band?.height) view.panNodes((before.y - now.y) / band.height);
      }
    });

    const up = (event) => {
      if (down.delete(event.pointerId) && moved < 4 && event.type === 'pointerup') {
        const at = place(event);
        pick.at(at.x, at.y);
      }
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('dblclick', (event) => view.zoom(0.25, timeline.layout().cycle(place(event).x)));

    Senn.hover(canvas, (x, y) => {
      const place = timeline.layout().at(x, y);
      return place && pick.text(place);
    });

    const keys = {
      ArrowLeft: () => view.pan(-0.15),
      ArrowRight: () => view.pan(0.15),
      ArrowUp: () => view.panNodes(-0.25),
      ArrowDown: () => view.panNodes(0.25),
      '+': () => view.zoom(1 / 1.5),
      '=': () => view.zoom(1 / 1.5),
      '-': () => view.zoom(1.5),
      PageUp: () => view.zoomNodes(1.5),
      PageDown: () => view.zoomNodes(1 / 1.5),
      Home: () => view.fit(),
      0: () => view.fit(),
      z: () => pick.zoom(),
      '.': () => pick.instruction(1),
      ',': () => pick.instruction(-1),
      m: () => pick.message(),
      c: () => path.toggle(),
      ']': () => path.follow(1),
      '[': () => path.follow(-1),
      a: () => view.set({ arrows: !state.arrows }),
      Escape: () => view.set({ chosen: null, step: null }),
    };
    canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      keys[event.key]();
      event.preventDefault();
    });
  };

  return { wire };
})();
