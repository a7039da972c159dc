// The critical path over time: every cycle of the makespan once, in the colour of what it was spent on.
Senn.strip = (() => {
  const HEIGHT = 36;

  const open = (canvas, record, facts, view, pick) => {
    const context = canvas.getContext('2d');
    const labels = record.words('path.label');
    const [start, end, label] = ['start', 'end', 'label'].map((name) => record.column(`path.${name}`));
    const [array, serial, message] = ['array', 'serial', 'message'].map((name) => record.column(`path.${name}`));

    const draw = () => {
      Senn.fit(canvas, () => HEIGHT);
      const scale = canvas.width / Math.max(facts.makespan, 1);
      const sheet = Senn.ink.sheet(canvas.width, canvas.height);
      for (let k = 0; k < start.length; k += 1) {
        const colour = Senn.theme.rgb(`spent-${labels[label[k]]}`);
        sheet.add(start[k] * scale, end[k] * scale, 0, canvas.height, colour);
      }
      const { image, covered } = sheet.picture();
      context.putImageData(image, 0, 0);
      return covered / canvas.width / canvas.height;
    };

    canvas.addEventListener('click', (event) => {
      const cycle = (event.offsetX / canvas.clientWidth) * facts.makespan;
      const k = start.findLastIndex((at) => at <= cycle);
      if (k < 0) return;
      const instruction = { kind: 'instruction', row: record.rowOf(array[k], serial[k]) };
      pick.choose(message[k] < 0 ? instruction : { kind: 'message', row: message[k] });
      view.show(start[k], end[k]);
      Senn.find('timeline')?.scrollIntoView({ block: 'nearest' });
    });
    Senn.theme.on(() => draw());
    new ResizeObserver(() => draw()).observe(canvas.parentElement);
    draw();
    return { draw };
  };

  return { open };
})();
