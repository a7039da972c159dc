// Operands of a node: slots are numbered in the order in which instructions read them, and a bit of each slot in a
// window says whether its message is there. Its meaning turns with every lap of the window, so nothing clears it.
module operands #(parameter NODE = 0)
  (input clk, input [LINE_-1:0] pc, input [IN-1:0] arrived, input [IN*SLOT_-1:0] slots, output reg [ISSUE-1:0] ready);
  reg [SLOT_-1:0] needed [0:LINES+ISSUE];  // slots that the instructions before each one read
  reg [2**WINDOW-1:0] present;
  reg [SLOT_-1:0] slot;
  integer k, j, i;
  initial begin
    $readmemh($sformatf("memories/needed_%0d.hex", NODE), needed);
    present = 0;
  end
  always @* begin
    ready = {ISSUE{1'b1}};
    for (k = 0; k < ISSUE; k = k + 1)
      for (j = 0; j < 2**WINDOW; j = j + 1) begin
        slot = needed[pc] + j;
        if (slot < needed[pc+k+1] && present[slot[WINDOW-1:0]] == slot[WINDOW]) ready[k] = 0;
      end
  end
  always @(posedge clk)
    for (i = 0; i < IN; i = i + 1)
      if (arrived[i]) present[slots[i*SLOT_ +: WINDOW]] <= !slots[i*SLOT_ + WINDOW];
endmodule
