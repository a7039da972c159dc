// Control unit: issues its instructions in order, one at a time, and with it those before it that take no cycle.
module control #(parameter UNIT = 0)
  (input clk, input [T-1:0] t, input [ISSUE-1:0] ready, input [NODES*IN*(1+UNIT_)-1:0] arrivals,
   output reg [LINE_-1:0] pc, output [LINE_-1:0] ended, finished, output finishing, done);
  reg [SERIAL_+FLYING_+BUSY_-1:0] instructions [0:LINES];  // number, messages that it posts, cycles
  reg [BUSY_-1:0] left, duration;  // cycles until the instruction before pc ends
  reg [FLYING_-1:0] flying, still;  // messages posted and not yet arrived
  reg [LINE_-1:0] next;
  reg [ISSUE-1:0] issue;
  reg open;
  integer k, p;
  initial begin
    $readmemh($sformatf("memories/instructions_%0d.hex", UNIT), instructions);
    {pc, left, flying} = 0;
  end
  always @* begin
    {next, duration, issue} = {pc, left, {ISSUE{1'b0}}};
    open = left == 0 && (DMA || flying == 0);  // without DMA a send ends when its messages have arrived
    for (k = 0; k < ISSUE; k = k + 1) begin
      open = open && next < COUNTS[UNIT*32 +: 32] && ready[k];
      if (open) begin
        issue[k] = 1;
        duration = instructions[next][BUSY_-1:0];
        next = next + 1;
        open = duration == 0;
      end
    end
    still = flying + (finishing ? instructions[finished][BUSY_ +: FLYING_] : 0);
    for (p = 0; p < NODES * IN; p = p + 1)
      if (arrivals[p*(1+UNIT_) +: 1+UNIT_] == {1'b1, UNIT[UNIT_-1:0]}) still = still - 1;
  end
  assign ended = pc - (left != 0);  // instructions below this number have ended
  assign finishing = duration == 1;
  assign finished = next - 1;
  assign done = pc == COUNTS[UNIT*32 +: 32] && left == 0 && flying == 0;
  always @(posedge clk) begin
    {pc, flying} <= {next, still};
    left <= duration == 0 ? 0 : duration - 1;
`ifndef SYNTHESIS
    for (k = 0; k < ISSUE; k = k + 1)
      if (issue[k]) $display("issue %0d %0d %0d", UNIT, instructions[pc+k][BUSY_+FLYING_ +: SERIAL_], t);
`endif
  end
endmodule
