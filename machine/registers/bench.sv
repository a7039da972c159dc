// Clock of the test bench: it ends when every control unit is done, or after twice the cycles of the run.
module bench;
  reg clk;
  reg [T-1:0] t;
  wire done;
  machine machine(clk, t, done);
  initial begin
    clk = 0;
    t = 0;
    #1 if ($test$plusargs("waves")) begin $dumpfile("waves.vcd"); $dumpvars(0, machine); end
    while (!done && t != {T{1'b1}}) begin
      #1 clk = 1;
      #1 clk = 0;
      t = t + 1;
    end
    #1 clk = 1;
    #1 $display("%0s %0d", done ? "done" : "stuck", t);
    $finish;
  end
endmodule
