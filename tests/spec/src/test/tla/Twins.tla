--------------------------------- MODULE Twins ---------------------------------
(******************************************************************************)
(* Renewals with marks. A process that holds the lock is cloned, as by an     *)
(* image of a virtual machine. Both twins then make the same request. A mark  *)
(* is a random number that each renewal adds, and the server keeps the mark   *)
(* of the last renewal: so the first twin that renews with a mark of its own  *)
(* stays the holder, and the server refuses the other one.                    *)
(*                                                                            *)
(* The lease does not run out here. ExclusiveLock.tla has the time.           *)
(******************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  MostMarks,  \* How many marks a renewal names, its own and earlier ones.
  MaxDraws,   \* How many marks a process draws.
  MaxJumps,   \* How many times a process notices that a clock has jumped.
  Broken      \* The name of the one rule that is left out, or "nothing".

Processes == {"original", "clone"}
Other(p) == IF p = "original" THEN "clone" ELSE "original"
NoMark == <<"none", 0>>

VARIABLES
  \* What the server stores.
  held,      \* Whether the lock is held by the request that the twins share.
  mark,      \* The mark of the last renewal, or NoMark.

  \* What each process knows.
  phase,     \* What the process is doing.
  marks,     \* The marks of its renewals, the newest one first.
  open,      \* Whether no renewal with the newest mark has been confirmed yet.
  jumped,    \* Whether a clock has jumped since the newest mark was drawn.
  drawn,     \* How many marks it has drawn.

  \* The network.
  commands,  \* All commands that may still reach the server.
  answers,   \* All answers that may still reach a process.

  \* What only the properties look at.
  cloned,    \* Whether there is a clone.
  before,    \* How many marks had been drawn when it was made.
  renewedBy, \* The processes of which the server took a mark drawn after that.
  jumps

server  == <<held, mark>>
process == <<phase, marks, open, jumped, drawn>>
network == <<commands, answers>>
history == <<cloned, before, renewedBy, jumps>>
vars    == <<server, process, network, history>>

Rule(name) == Broken # name

Init ==
  /\ held = TRUE /\ mark = NoMark
  /\ phase = [p \in Processes |-> IF p = "original" THEN "held" ELSE "absent"]
  /\ marks = [p \in Processes |-> <<>>]
  /\ open = [p \in Processes |-> FALSE]
  /\ jumped = [p \in Processes |-> FALSE]
  /\ drawn = [p \in Processes |-> 0]
  /\ commands = {} /\ answers = {}
  /\ cloned = FALSE /\ before = 0 /\ renewedBy = {} /\ jumps = 0

--------------------------------------------------------------------------------
\* A message stays in its set when it is received. So it may arrive never, late,
\* several times, and in any order with others.

Send(kind, p, known) ==
  commands' = commands \cup {[kind |-> kind, from |-> p, marks |-> known]}

Answer(command, result) ==
  answers' = answers \cup {[kind |-> command.kind, to |-> command.from,
                            marks |-> command.marks, result |-> result]}

--------------------------------------------------------------------------------
\* The processes.

\* Twins draw different marks, although everything they remember is alike.
Mark(p) == <<IF Rule("marks are drawn afresh") THEN p ELSE "image", drawn[p] + 1>>

Newest(known) == SubSeq(known, 1, IF Len(known) < MostMarks THEN Len(known) ELSE MostMarks)

NeedsMark(p) == ~open[p] \/ jumped[p] \/ ~Rule("a repeated renewal has the same marks")

\* A renewal that is repeated, because no answer came, has the same marks, unless a
\* clock has jumped: then there may be a twin that repeats the same.
SendRenewal(p) ==
  /\ phase[p] = "held"
  /\ NeedsMark(p) => drawn[p] < MaxDraws
  /\ LET known == IF NeedsMark(p) THEN Newest(<<Mark(p)>> \o marks[p]) ELSE marks[p] IN
     /\ marks' = [marks EXCEPT ![p] = known]
     /\ Send("renew", p, known)
  /\ drawn' = IF NeedsMark(p) THEN [drawn EXCEPT ![p] = @ + 1] ELSE drawn
  /\ open' = [open EXCEPT ![p] = TRUE]
  /\ jumped' = [jumped EXCEPT ![p] = FALSE]
  /\ UNCHANGED <<phase, answers, server, history>>

Release(p) ==
  /\ phase[p] = "held"
  /\ phase' = [phase EXCEPT ![p] = "releasing"]
  /\ Send("release", p, marks[p])
  /\ UNCHANGED <<marks, open, jumped, drawn, answers, server, history>>

AnswersTo(p) == {answer \in answers : answer.to = p}

ReceiveRenewed(p) == \E answer \in AnswersTo(p) :
  /\ answer.kind = "renew" /\ answer.result = "yes" /\ phase[p] = "held"
  /\ open' = [open EXCEPT ![p] = @ /\ answer.marks # marks[p]]
  /\ UNCHANGED <<phase, marks, jumped, drawn, network, server, history>>

\* A refusal of an older renewal is no loss: that one has come behind a newer one.
ReceiveRefused(p) == \E answer \in AnswersTo(p) :
  /\ answer.kind = "renew" /\ answer.result = "no" /\ phase[p] = "held"
  /\ answer.marks = marks[p] \/ ~Rule("only the newest renewal tells of a loss")
  /\ phase' = [phase EXCEPT ![p] = "lost"]
  /\ UNCHANGED <<marks, open, jumped, drawn, network, server, history>>

ReceiveReleased(p) == \E answer \in AnswersTo(p) :
  /\ answer.kind = "release" /\ phase[p] = "releasing"
  /\ phase' = [phase EXCEPT ![p] = IF answer.result = "yes" THEN "released" ELSE "lost"]
  /\ UNCHANGED <<marks, open, jumped, drawn, network, server, history>>

\* The clone remembers what the original does, and neither of them notices.
Clone ==
  /\ ~cloned /\ phase["original"] = "held"
  /\ cloned' = TRUE /\ before' = drawn["original"]
  /\ phase' = [phase EXCEPT !["clone"] = phase["original"]]
  /\ marks' = [marks EXCEPT !["clone"] = marks["original"]]
  /\ open' = [open EXCEPT !["clone"] = open["original"]]
  /\ jumped' = [jumped EXCEPT !["clone"] = jumped["original"]]
  /\ drawn' = [drawn EXCEPT !["clone"] = drawn["original"]]
  /\ UNCHANGED <<server, network, renewedBy, jumps>>

NoticeJump(p) ==
  /\ jumps < MaxJumps /\ phase[p] = "held" /\ ~jumped[p]
  /\ jumps' = jumps + 1
  /\ jumped' = [jumped EXCEPT ![p] = TRUE]
  /\ UNCHANGED <<phase, marks, open, drawn, server, network, cloned, before, renewedBy>>

--------------------------------------------------------------------------------
\* The server. Each command is one step, as a script is on Redis.

Knows(command, rule) ==
  \/ mark = NoMark
  \/ \E i \in 1..Len(command.marks) : command.marks[i] = mark
  \/ ~Rule(rule)

HandleRenewal == \E command \in commands :
  /\ command.kind = "renew"
  /\ IF held /\ Knows(command, "a renewal compares marks")
     THEN /\ mark' = Head(command.marks)
          /\ renewedBy' = IF cloned /\ Head(command.marks)[2] > before
                          THEN renewedBy \cup {command.from} ELSE renewedBy
          /\ Answer(command, "yes")
     ELSE /\ Answer(command, "no")
          /\ UNCHANGED <<mark, renewedBy>>
  /\ UNCHANGED <<held, process, commands, cloned, before, jumps>>

\* A repeated release is a success.
HandleRelease == \E command \in commands :
  /\ command.kind = "release"
  /\ IF ~held \/ Knows(command, "a release compares marks")
     THEN /\ held' = FALSE
          /\ Answer(command, "yes")
     ELSE /\ Answer(command, "no")
          /\ UNCHANGED held
  /\ UNCHANGED <<mark, process, commands, history>>

Next ==
  \/ \E p \in Processes :
       \/ SendRenewal(p) \/ Release(p) \/ NoticeJump(p)
       \/ ReceiveRenewed(p) \/ ReceiveRefused(p) \/ ReceiveReleased(p)
  \/ HandleRenewal \/ HandleRelease \/ Clone

Spec == Init /\ [][Next]_vars

--------------------------------------------------------------------------------
\* The properties.

\* The server takes renewals with new marks from one of the twins only.
OneTwinRenews == renewedBy # Processes

\* The twin that has renewed keeps the lock until it releases it itself.
TheFirstThatRenewsStays ==
  \A p \in renewedBy : phase[p] # "lost" /\ (phase[p] = "held" => held)

\* A process is told of a loss only when its twin has renewed or released.
NoFalseLoss ==
  \A p \in Processes :
    phase[p] = "lost" =>
      Other(p) \in renewedBy \/ phase[Other(p)] \in {"releasing", "released"}

--------------------------------------------------------------------------------
\* What is not promised. The tests require that the model shows why.

\* From the cloning to the first renewal with a new mark both twins hold the lock.
TwinsNeverHoldTogether ==
  ~(phase["original"] = "held" /\ phase["clone"] = "held")
================================================================================
