// Outgoing channel of a node: of the node's own descriptor and the packets in its buffers it asks for the oldest, of
// equal ones that of the lowest number. It is busy for the cycles in the header, and sends a word in each of the last.
module channel #(parameter NUMBER = 0, HOP = 1)
  (input clk, input [T-1:0] t, input pending, input [T-1:0] stamp, input [ADDRESS_-1:0] source,
   input [HEADER-1:0] header, input [BUFFERS-1:0] waiting, input [BUFFERS*(T+HEADER)-1:0] entries,
   output reg request, output reg [KEY-1:0] key, output busy, input grant, output taken,
   output [BUFFERS-1:0] granted, released, output own, output [ADDRESS_-1:0] place, output [LINK-65:0] link);
  reg [T+HEADER-1:0] entry;
  reg [HEADER-1:0] best, current;
  reg [ADDRESS_-1:0] start, origin;
  reg [BUFFERS:0] choice, sender;  // the own descriptor is number 0
  reg [CYCLES_-1:0] left;  // cycles of a message still to go; the cycle of its grant is the first
  integer b;
  always @* begin
    request = pending;
    key = pending ? {stamp, header[HEADER-1 -: MESSAGE_]} : {KEY{1'b1}};
    {best, start, choice} = {header, source, {BUFFERS{1'b0}}, 1'b1};
    for (b = 0; b < BUFFERS; b = b + 1) begin
      entry = entries[b*(T+HEADER) +: T+HEADER];
      if (waiting[b] && entry[PORT_-1:0] == HOP && entry[T+HEADER-1 -: KEY] < key) begin
        request = 1;
        key = entry[T+HEADER-1 -: KEY];
        best = {entry[HEADER-1:ROUTE], entry[ROUTE-1:0] >> PORT_};
        start = b * LONGEST;
        choice = 2 << b;
      end
    end
    if (busy) request = 0;
  end
  assign busy = left != 0;
  wire first = request && grant;
  wire [HEADER-1:0] sent = first ? best : current;
  wire [BUFFERS:0] by = first ? choice : sender;
  wire [CYCLES_-1:0] remaining = first ? best[CYCLES_AT +: CYCLES_] : left;
  wire [WORDS_-1:0] words = sent[WORDS_AT +: WORDS_];
  wire last = remaining == 1;
  wire strobe = remaining != 0 && remaining <= words;  // the start-up comes first, and moves none
  assign own = by[0];
  assign place = (first ? start : origin) + words - remaining;
  assign link = {first, last, strobe, sent};
  assign {granted, taken} = first ? choice : 0;
  assign released = last ? by[BUFFERS:1] : 0;
  initial left = 0;
  always @(posedge clk) begin
    {current, sender, origin} <= {sent, by, first ? start : origin};
    left <= busy || first ? remaining - 1 : 0;
`ifndef SYNTHESIS
    if (first) $display("grant %0d %0d %0d", sent[HEADER-1 -: MESSAGE_], NUMBER, t);
    if (last) $display("leave %0d %0d %0d", sent[HEADER-1 -: MESSAGE_], NUMBER, t + 1);
`endif
  end
endmodule
