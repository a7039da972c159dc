// The matrix that Step I.b takes apart: which of its blocks are not yet zero at a cycle.
Senn.matrix = (() => {
  const open = (canvas, caption, record, facts, view) => {
    const context = canvas.getContext('2d');
    const { stage: stages, row: rows, column: columns } = record.table('blocks');

    // The last stage that has begun; before the first there is no matrix yet.
    const stageAt = (cycle) => facts.stages.findLastIndex(([, begins]) => begins <= cycle);

    const say = (stage, count) => {
      if (stage < 0) return `not yet made: it is there from cycle ${Senn.count(facts.stages[0][1])} on`;
      const [after, begins] = facts.stages[stage];
      const left = count ? `${Senn.count(2 * count)} blocks beside the diagonal` : 'nothing beside the diagonal';
      const when = after ? `after level ${after}, from cycle ${Senn.count(begins)} on` : 'as it was made';
      return `${when}: ${left}`;
    };

    const draw = () => {
      const stage = stageAt(view.state.cycle);
      const { ratio } = Senn.fit(canvas, (width) => width, 420);
      const cell = canvas.width / facts.n;
      const sheet = Senn.ink.sheet(canvas.width, canvas.height);
      // No time is told here, so what is thinner than a line is drawn as one.
      const side = cell > 6 ? 0.84 * cell : Math.max(cell, 1.4 * ratio);
      const place = (index) => (index - 0.5) * cell - side / 2;
      const block = (row, column, name) => {
        const [x, y] = [place(column), place(row)];
        sheet.add(x, x + side, y, y + side, Senn.theme.rgb(name));
      };
      if (stage >= 0) for (let k = 1; k <= facts.n; k += 1) block(k, k, 'part-0');
      let count = 0;
      for (let k = 0; k < stages.length; k += 1) {
        if (stages[k] !== stage) continue;
        count += 1;
        block(rows[k], columns[k], 'exposed');
        block(columns[k], rows[k], 'exposed');
      }
      context.putImageData(sheet.picture().image, 0, 0);
      context.strokeStyle = Senn.theme.css('line');
      context.lineWidth = 2 * ratio;
      context.strokeRect(0, 0, canvas.width, canvas.height);
      const text = say(stage, count);
      if (caption.textContent !== text) caption.textContent = text;
    };

    return { draw };
  };

  return { open };
})();
