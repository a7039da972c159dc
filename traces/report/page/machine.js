// The machine at a cycle: which engines work, which channels carry, where every message is.
// A cycle t shows what is so in [t, t + 1), as in replay.py.
Senn.machine = (() => {
  const MOST_NAMES = 12; // messages that are named

  const open = (canvas, record, facts, view) => {
    const context = canvas.getContext('2d');
    const { column } = record;
    let still = null; // the network without a cycle: drawn once for each size and theme

    const size = () => Senn.fit(canvas, (width) => Math.min(Math.max(0.62 * width, 260), 460));

    const background = ({ width, height, ratio }) => {
      const layout = Senn.wires.layout(record, facts, width, height);
      const sheet = document.createElement('canvas');
      [sheet.width, sheet.height] = [canvas.width, canvas.height];
      const pen = sheet.getContext('2d');
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.strokeStyle = Senn.theme.css('quiet', layout.count > 2000 ? 0.05 : layout.count > 300 ? 0.2 : 0.4);
      pen.beginPath();
      for (let channel = 0; channel < layout.count; channel += 1) layout.draw(pen, channel);
      pen.stroke();
      still = { sheet, layout };
    };

    // What each lane, by array and node, does at a cycle: what `valueOf` says of the row that holds it, if anything.
    const lanes = ({ array, start, end, low, high }, cycle, valueOf) => {
      const found = new Map();
      for (let k = 0; k < array.length; k += 1) {
        const value = start[k] <= cycle && cycle < end[k] && valueOf(k);
        if (!value) continue;
        const [first, last] = low[k] < 0 ? [0, facts.nodes - 1] : [low[k], high[k]];
        for (let node = first; node <= last; node += 1) found.set(array[k] * facts.nodes + node, value);
      }
      return found;
    };
    const engines = (cycle) => {
      const { row, what } = record.table('bars');
      const colour = (k) => what[k] < Senn.bands.SEND && record.colour(row[k]);
      return lanes(record.table('bars'), cycle, colour);
    };
    const waiting = (cycle) => lanes(record.table('waits'), cycle, () => true);

    // Messages in flight: { hop, name, channel, share } with a share below 0 for one that is at its node.
    const hops = (cycle) => {
      const granted = column('hops.start');
      const { left } = record.stays();
      const { channel: channels } = record.table('crossed');
      const { hop: rows, start, end } = record.table('flights');
      const found = [];
      for (let k = 0; k < rows.length; k += 1) {
        if (start[k] > cycle || end[k] <= cycle) continue;
        const hop = rows[k];
        const share = granted[hop] > cycle ? -1 : (cycle - granted[hop]) / (left[hop] - granted[hop]);
        found.push({ hop, name: record.word('flights.name', k), channel: channels[hop], share });
      }
      return found;
    };

    const draw = () => {
      const room = size(); // which also wipes the canvas
      if (!still) background(room);
      const { sheet, layout } = still;
      const { cycle } = view.state;
      context.drawImage(sheet, 0, 0);
      context.setTransform(room.ratio, 0, 0, room.ratio, 0, 0);
      const moving = hops(cycle);
      carry(layout, moving.filter(({ share }) => share >= 0));
      nodes(layout, engines(cycle), waiting(cycle));
      messages(layout, moving);
      names(layout, moving);
      return moving.map(({ name }) => name);
    };

    const colourOf = (hop) => record.colour(record.senderOf(column('hops.message')[hop]));

    const carry = (layout, crossing) => {
      context.lineWidth = crossing.length > 500 ? 0.5 : 1.6;
      for (const { hop, channel } of crossing) {
        context.strokeStyle = Senn.theme.css(colourOf(hop), crossing.length > 500 ? 0.25 : 0.7);
        context.beginPath();
        layout.draw(context, channel);
        context.stroke();
      }
    };

    const nodes = (layout, working, idle) => {
      const { css } = Senn.theme;
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.font = `${Math.min(11, layout.radius * 1.2)}px system-ui, sans-serif`;
      for (const array of facts.arrays) {
        for (let node = 0; node < facts.nodes; node += 1) {
          const [x, y] = layout.node(array, node);
          const name = working.get(array * facts.nodes + node);
          const waits = idle.has(array * facts.nodes + node);
          context.beginPath();
          context.arc(x, y, layout.radius, 0, 7);
          context.fillStyle = css('paper');
          context.fill();
          context.fillStyle = name ? css(name) : css(waits ? 'exposed' : 'paper', waits ? 0.25 : 1);
          context.fill();
          if (layout.radius < 4) continue;
          context.lineWidth = 1;
          context.strokeStyle = css('quiet');
          context.stroke();
          context.fillStyle = name ? Senn.theme.over(Senn.theme.rgb(name)) : css('ink');
          if (layout.radius > 6) context.fillText(node, x, y + 0.5);
        }
      }
    };

    const messages = (layout, moving) => {
      const waitingAt = new Map(); // how many wait for a channel, each drawn a little further off
      const radius = moving.length > 200 ? 1.6 : Math.max(2.2, Math.min(4.5, 0.8 * layout.radius));
      for (const { hop, channel, share, name: does } of moving) {
        const name = colourOf(hop);
        const before = waitingAt.get(channel) ?? 0;
        if (share < 0) waitingAt.set(channel, before + 1);
        const [x, y] = layout.along(channel, share < 0 ? 0.1 : share);
        context.beginPath();
        context.arc(x, y - (share < 0 ? layout.radius + 3 + 5 * before : 0), radius, 0, 7);
        context.lineWidth = 1.4;
        context.strokeStyle = share < 0 ? Senn.theme.css(name) : Senn.theme.css('ink');
        context.fillStyle = Senn.theme.css('paper');
        context.fill();
        context.fillStyle = Senn.theme.css(name, { queue: 0, 'start-up': 0.35 }[does] ?? 1);
        context.fill();
        if (radius > 2 || share < 0) context.stroke();
      }
    };

    // Arrays by their names, and few messages by the values that they carry; readable on any ground.
    const names = (layout, moving) => {
      const write = (text, x, y) => {
        context.strokeStyle = Senn.theme.css('paper');
        context.lineWidth = 3;
        context.strokeText(text, x, y);
        context.fillStyle = Senn.theme.css('ink');
        context.fillText(text, x, y);
      };
      context.textAlign = 'left';
      context.font = '600 12px system-ui, sans-serif';
      for (const array of facts.arrays) {
        const [x, y] = layout.node(array, 0);
        write(`array ${array}`, Math.max(2, x - 24), y - layout.radius - 10);
      }
      context.font = '11px system-ui, sans-serif';
      if (moving.length > MOST_NAMES) return;
      for (const { hop, channel, share } of moving.filter((one) => one.share >= 0)) {
        const [x, y] = layout.along(channel, share);
        write(Senn.record.valueText(record, column('hops.message')[hop]), x + 7, y - 7);
      }
    };

    const again = () => {
      still = null;
    };
    return { draw, again, hops };
  };

  return { open };
})();
