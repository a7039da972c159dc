// DMA engine of a node: a list of descriptors for each channel, in the order of posting. An instruction that ends
// posts its descriptors by itself: the head of a list is pending as soon as its instruction has ended.
module dma #(parameter NODE = 0)
  (input clk, input [T-1:0] t, input [LINE_-1:0] ended, finished, input finishing, input [OUT-1:0] taken,
   output [OUT-1:0] pending, output [OUT*T-1:0] stamps, output [OUT*ADDRESS_-1:0] sources,
   output [OUT*HEADER-1:0] headers);
  reg [LINE_+ADDRESS_+HEADER-1:0] descriptors [0:(OUT+1)*LIST-1];  // the last list: messages to the node itself
  reg [T-1:0] posted [0:2**LINE_-1];  // by instruction: the cycle from which its messages ask for channels
  genvar o;
  initial $readmemh($sformatf("memories/descriptors_%0d.hex", NODE), descriptors);
  always @(posedge clk) if (finishing) posted[finished] <= t + 1 + LAUNCH;
  for (o = 0; o < OUT; o = o + 1) begin : lists
    reg [$clog2(LIST+1)-1:0] head;
    wire [LINE_-1:0] line;
    initial head = 0;
    assign {line, sources[o*ADDRESS_ +: ADDRESS_], headers[o*HEADER +: HEADER]} = descriptors[o*LIST + head];
    assign stamps[o*T +: T] = posted[line];
    assign pending[o] = line < ended && (LAUNCH == 0 || posted[line] <= t);
    always @(posedge clk) if (taken[o]) head <= head + 1;
  end
endmodule
