// Incoming port of a node: writes a packet into the node's memory, or into one of DEPTH buffers to be sent on.
module port #(parameter NODE = 0)
  (input clk, input [T-1:0] t, input [LINK-1:0] in, input [DEPTH-1:0] granted, released,
   output arrived, output [HEADER-1:0] parcel, output strobe, here, output [ADDRESS_-1:0] place, output [63:0] word,
   output reg [DEPTH-1:0] waiting, output reg [DEPTH*(T+HEADER)-1:0] entries);
  reg [LINK-1:0] wires [0:PASSING];  // with cut-through a packet is on its way for PASSING cycles
  reg [$clog2(PASSING+1):0] turn;
  reg [DEPTH-1:0] held;  // until the last word has left; `waiting`, until a channel is granted
  reg [$clog2(DEPTH+1)-1:0] free, chosen;
  reg [WORDS_-1:0] index;
  reg [HEADER:0] late;  // the last of those cycles: `wires` has one less
  wire [HEADER-1:0] header;
  wire first, last;
  wire [$clog2(DEPTH+1)-1:0] bank = first ? free : chosen;
  wire [T-1:0] now = t + 1;  // a packet asks for its next channel in the cycle after the edge that stores it
  integer d;
  assign {first, last, strobe, header, word} = PASSING > 1 ? wires[turn] : in;
  assign here = header[PORT_-1:0] == 0;
  assign place = (here ? header[ROUTE +: ADDRESS_] : bank * LONGEST) + index;
  assign {arrived, parcel} = PASSING > 0 ? late : {last && here, header};
  always @* begin
    free = 0;
    for (d = DEPTH - 1; d >= 0; d = d - 1) if (!held[d]) free = d;
  end
  initial begin
    {waiting, held, index, late, turn, chosen} = 0;
    for (d = 0; d <= PASSING; d = d + 1) wires[d] = 0;
  end
  always @(posedge clk) begin
    if (PASSING > 1) wires[turn] <= in;
    turn <= turn + 2 < PASSING ? turn + 1 : 0;
    late <= {last && here, header};
    index <= last ? 0 : index + strobe;
    waiting <= waiting & ~granted;
    held <= held & ~released;
    chosen <= bank;
    if ((PASSING > 0 ? first : last) && !here) begin
      {waiting[bank], held[bank]} <= 2'b11;
      entries[bank*(T+HEADER) +: T+HEADER] <= {now, header};
`ifndef SYNTHESIS
      if (held[bank]) $fatal(1, "node %0d has no buffer left at %0d", NODE, t);
`endif
    end
  end
endmodule
