// Machine: control units, each of GROUP nodes, and channels between nodes as the tables OUTS and INS say.
module machine(input clk, input [T-1:0] t, output done);
  wire [LINK-1:0] links [0:CHANNELS];  // the last is a wire of ports that have no channel
  wire [CHANNELS-1:0] requests, busy, grants;
  wire [CHANNELS*KEY-1:0] keys;
  wire [NODES*IN*(1+UNIT_)-1:0] arrivals;
  wire [NODES/GROUP-1:0] dones;
  genvar u, g, i, o;
  assign done = &dones;
  assign links[CHANNELS] = 0;
  arbiter arbiter(requests, busy, keys, grants);
  for (u = 0; u < NODES / GROUP; u = u + 1) begin : units
    wire [LINE_-1:0] pc, ended, finished;
    wire finishing;
    wire [GROUP*ISSUE-1:0] each;  // an instruction issues when the operands of all nodes are there
    reg [ISSUE-1:0] ready;
    integer k;
    always @* begin
      ready = {ISSUE{1'b1}};
      for (k = 0; k < GROUP; k = k + 1) ready = ready & each[k*ISSUE +: ISSUE];
    end
    control #(u) control(clk, t, ready, arrivals, pc, ended, finished, finishing, dones[u]);
    for (g = u * GROUP; g < (u + 1) * GROUP; g = g + 1) begin : nodes
      wire [IN*LINK-1:0] in;
      wire [OUT*LINK-1:0] out;
      wire [OUT-1:0] asks, serves, may;
      wire [OUT*KEY-1:0] since;
      node #(g) node(clk, t, pc, ended, finished, finishing, each[(g%GROUP)*ISSUE +: ISSUE],
        arrivals[g*IN*(1+UNIT_) +: IN*(1+UNIT_)], in, out, asks, serves, since, may);
      for (i = 0; i < IN; i = i + 1)
        assign in[i*LINK +: LINK] = links[INS[(g*IN+i)*32 +: 32]];
      for (o = 0; o < OUT; o = o + 1)
        if (OUTS[(g*OUT+o)*32 +: 32] < CHANNELS) begin
          localparam C = OUTS[(g*OUT+o)*32 +: 32];
          assign links[C] = out[o*LINK +: LINK];
          assign {requests[C], busy[C], keys[C*KEY +: KEY], may[o]} =
            {asks[o], serves[o], since[o*KEY +: KEY], grants[C]};
        end
        else assign may[o] = 0;
    end
  end
endmodule
