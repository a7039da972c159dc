// Arbiter of what channels share: a wire of both directions, a bus, the ports of a node. The oldest request is first;
// one whose resources are taken holds back no other. Channels that share nothing are granted what they ask for.
module arbiter
  (input [CHANNELS-1:0] requests, busy, input [CHANNELS*KEY-1:0] keys, output reg [CHANNELS-1:0] grants);
  reg [RESOURCES:0] occupied;
  reg [CHANNELS-1:0] open;
  integer c, round, best;
  always @* begin
    grants = RESOURCES > 0 ? 0 : requests;
    occupied = 0;
    open = requests & ~grants;
    best = 0;
    for (c = 0; c < CHANNELS; c = c + 1) if (busy[c]) occupied = occupied | USES[c*(RESOURCES+1) +: RESOURCES+1];
    for (round = 0; round < CHANNELS; round = round + 1)
      if (open != 0) begin
        for (c = 0; c < CHANNELS; c = c + 1)
          if (open[c] && (!open[best] || keys[c*KEY +: KEY] < keys[best*KEY +: KEY])) best = c;
        open[best] = 0;
        if ((occupied & USES[best*(RESOURCES+1) +: RESOURCES+1]) == 0) begin
          grants[best] = 1;
          occupied = occupied | USES[best*(RESOURCES+1) +: RESOURCES+1];
        end
      end
  end
endmodule
