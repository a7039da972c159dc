// Node: a memory, its operands and its DMA engine, and a router of incoming ports and outgoing channels. The compute
// engine is the counter of the control unit; its results are in memory, handed in before the first cycle.
module node #(parameter NODE = 0)
  (input clk, input [T-1:0] t, input [LINE_-1:0] pc, ended, finished, input finishing, output [ISSUE-1:0] ready,
   output [IN*(1+UNIT_)-1:0] arrivals, input [IN*LINK-1:0] in, output [OUT*LINK-1:0] out,
   output [OUT-1:0] requests, busy, output [OUT*KEY-1:0] keys, input [OUT-1:0] grants);
  reg [63:0] memory [0:ARRIVING+GIVEN-1];
  reg [63:0] buffers [0:BUFFERS*LONGEST-1];
  wire [OUT-1:0] taken, pending;
  wire [OUT*T-1:0] stamps;
  wire [OUT*ADDRESS_-1:0] sources;
  wire [OUT*HEADER-1:0] headers;
  wire [IN-1:0] arrived;
  wire [IN*HEADER-1:0] parcels;
  wire [IN*SLOT_-1:0] slots;
  wire [BUFFERS-1:0] waiting;
  wire [BUFFERS*(T+HEADER)-1:0] entries;
  wire [OUT*BUFFERS-1:0] granted, released;
  reg [BUFFERS-1:0] leaving, left;
  integer k;
  genvar i, o;
  initial $readmemh($sformatf("memories/words_%0d.hex", NODE), memory, ARRIVING, ARRIVING + GIVEN - 1);
  operands #(NODE) operands(clk, pc, arrived, slots, ready);
  dma #(NODE) dma(clk, t, ended, finished, finishing, taken, pending, stamps, sources, headers);
  always @* begin
    {leaving, left} = 0;
    for (k = 0; k < OUT; k = k + 1) begin
      leaving = leaving | granted[k*BUFFERS +: BUFFERS];
      left = left | released[k*BUFFERS +: BUFFERS];
    end
  end
  for (i = 0; i < IN; i = i + 1) begin : inward
    wire strobe, here;
    wire [ADDRESS_-1:0] place;
    wire [63:0] word;
    port #(NODE) port(clk, t, in[i*LINK +: LINK], leaving[i*DEPTH +: DEPTH], left[i*DEPTH +: DEPTH],
      arrived[i], parcels[i*HEADER +: HEADER], strobe, here, place, word,
      waiting[i*DEPTH +: DEPTH], entries[i*DEPTH*(T+HEADER) +: DEPTH*(T+HEADER)]);
    assign slots[i*SLOT_ +: SLOT_] = parcels[i*HEADER+SLOT_AT +: SLOT_];
    assign arrivals[i*(1+UNIT_) +: 1+UNIT_] = {arrived[i], parcels[i*HEADER+UNIT_AT +: UNIT_]};
    always @(posedge clk)
      if (strobe && here) memory[place] <= word;
      else if (strobe) buffers[i*DEPTH*LONGEST + place] <= word;
`ifndef SYNTHESIS
    reg [HEADER:0] there;
    initial there = 0;
    always @(posedge clk) begin
      there <= {arrived[i], parcels[i*HEADER +: HEADER]};
      if (there[HEADER]) show(there[HEADER-1:0], there[ROUTE +: ADDRESS_], t);
    end
`endif
  end
  for (o = 0; o < OUT; o = o + 1) begin : outward
    wire own;
    wire [ADDRESS_-1:0] place;
    channel #(OUTS[(NODE*OUT+o)*32 +: 32], o + 1) channel(clk, t, pending[o], stamps[o*T +: T],
      sources[o*ADDRESS_ +: ADDRESS_], headers[o*HEADER +: HEADER], waiting, entries,
      requests[o], keys[o*KEY +: KEY], busy[o], grants[o], taken[o], granted[o*BUFFERS +: BUFFERS],
      released[o*BUFFERS +: BUFFERS], own, place, out[o*LINK+64 +: LINK-64]);
    assign out[o*LINK +: 64] = own ? memory[place] : buffers[place];
  end
`ifndef SYNTHESIS
  // Test bench: prints the messages that the DMA engine is given, and the words of those that have arrived.
  reg [LINE_-1:0] line;
  reg [ADDRESS_-1:0] source;
  reg [HEADER-1:0] header;
  integer d;
  always @(posedge clk)
    for (d = 0; finishing && d < (OUT+1)*LIST; d = d + 1) begin
      {line, source, header} = dma.descriptors[d];
      if (line == finished) $display("post %0d %0d", header[HEADER-1 -: MESSAGE_], t + 1);
      if (line == finished && d >= OUT*LIST) show(header, source, t + 1);
    end
  task automatic show(input [HEADER-1:0] header, input [ADDRESS_-1:0] place, input [T-1:0] cycle);
    begin : words
      integer w;
      $display("arrive %0d %0d", header[HEADER-1 -: MESSAGE_], cycle);
      for (w = 0; w < header[WORDS_AT +: WORDS_]; w = w + 1)
        $display("word %0d %0d %h", header[HEADER-1 -: MESSAGE_], w, memory[place+w]);
    end
  endtask
`endif
endmodule
