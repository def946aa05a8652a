----------------------------------- MODULE Sets -----------------------------------
(******************************************************************************)
(* How a client that wants several locks at once gets them beside clients     *)
(* that want one of them. It waits in the line of the first busy lock. When a *)
(* release gives it that lock, and another one is busy, it keeps what was     *)
(* given to it: a reservation. Locks have an order, and a client waits only   *)
(* for a lock that comes after all that it has reserved. So no two clients    *)
(* wait for each other.                                                       *)
(*                                                                            *)
(* Leases and lost commands are in Claims.tla. README.md explains all of them.*)
(******************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,   \* The instances of the application.
  NoClient,  \* The owner of a free lock.
  Several,   \* The clients that want one lock or several at once. The others want one.
  Locks,     \* The locks, which are numbers: a client asks for them in this order.
  Faults,    \* Whether messages are lost, entries and reservations run out, and clients give up.
  Broken     \* The name of the one rule that is left out, or "nothing".

VARIABLES
  owner,     \* The client that has each lock, or has reserved it.
  reserved,  \* Whether the owner has only reserved the lock.
  line,      \* The clients that wait for each lock, the first one first.
  messages,  \* The clients to which a message is on its way: a release has given them a lock.
  phase,     \* What each client is doing.
  wanted,    \* The locks that it wants.
  lost       \* Whether a reservation of its request has run out.

vars == <<owner, reserved, line, messages, phase, wanted, lost>>

Rule(name) == Broken # name
Without(l, c) == SelectSeq(l, LAMBDA d : d # c)
Has(l, c) == \E i \in 1..Len(l) : l[i] = c
First(locks) == CHOOSE k \in locks : \A other \in locks : k <= other
Enter(c, p) == phase' = [phase EXCEPT ![c] = p]
Reserved(c) == {k \in Locks : owner[k] = c /\ reserved[k]}

Init ==
  /\ owner = [k \in Locks |-> NoClient] /\ reserved = [k \in Locks |-> FALSE]
  /\ line = [k \in Locks |-> <<>>] /\ messages = {}
  /\ phase = [c \in Clients |-> "idle"]
  /\ wanted = [c \in Clients |-> {}]
  /\ lost = [c \in Clients |-> FALSE]

--------------------------------------------------------------------------------
\* The client.

Begin(c) ==
  /\ phase[c] = "idle"
  /\ \E locks \in SUBSET Locks \ {{}} :
       /\ c \in Several \/ Cardinality(locks) = 1
       /\ wanted' = [wanted EXCEPT ![c] = locks]
  /\ Enter(c, "asking")
  /\ UNCHANGED <<owner, reserved, line, messages, lost>>

\* A waiter polls, or a message has come.
AttemptAgain(c) ==
  /\ phase[c] = "waiting"
  /\ Enter(c, "asking")
  /\ messages' = messages \ {c}
  /\ UNCHANGED <<owner, reserved, line, wanted, lost>>

Release(c) ==
  /\ phase[c] = "held"
  /\ Enter(c, "releasing")
  /\ UNCHANGED <<owner, reserved, line, messages, wanted, lost>>

GiveUp(c) ==
  /\ Faults /\ phase[c] = "waiting"
  /\ Enter(c, "abandoning")
  /\ UNCHANGED <<owner, reserved, line, messages, wanted, lost>>

--------------------------------------------------------------------------------
\* The server. Each command is one step, as a script is on Redis.

\* Passes locks on: the first in each line has the lock from here on.
PassOn(locks, lines, owners, kept) ==
  LET served == {k \in locks : lines[k] # <<>> /\ Rule("a release gives the lock")} IN
  /\ owner' = [k \in Locks |-> IF k \in served THEN Head(lines[k]) ELSE IF k \in locks THEN NoClient ELSE owners[k]]
  /\ reserved' = [k \in Locks |->
       IF k \in locks THEN k \in served /\ Cardinality(wanted[Head(lines[k])]) > 1 ELSE kept[k]]
  /\ line' = [k \in Locks |-> IF k \in served THEN Tail(lines[k]) ELSE lines[k]]
  /\ messages' = messages \cup {Head(lines[k]) : k \in served}

\* The client waits in one line only.
Join(c, at) ==
  [k \in Locks |-> IF k # at THEN Without(line[k], c) ELSE IF Has(line[k], c) THEN line[k] ELSE Append(line[k], c)]

HandleAttempt(c) ==
  LET busy == {k \in wanted[c] : owner[k] \notin {NoClient, c}}
      at == First(busy)
      stays == {k \in Reserved(c) : Rule("a reservation is kept") /\ ~reserved[at] /\ k < at}
      dropped == IF Rule("what comes after the busy lock is passed on") THEN Reserved(c) \ stays ELSE {}
  IN
  /\ phase[c] = "asking"
  /\ IF lost[c]
     THEN \* The request is refused: another one takes its place.
          Enter(c, "abandoning") /\ UNCHANGED <<owner, reserved, line, messages>>
     ELSE IF busy = {} \/ (Reserved(c) # {} /\ ~Rule("all or none"))
     THEN /\ Enter(c, "held")
          /\ owner' = [k \in Locks |-> IF k \in wanted[c] \ busy THEN c ELSE owner[k]]
          /\ reserved' = [k \in Locks |-> reserved[k] /\ owner[k] # c]
          /\ line' = [k \in Locks |-> Without(line[k], c)]
          /\ UNCHANGED messages
     ELSE /\ Enter(c, "waiting")
          /\ PassOn(dropped, Join(c, at), owner, reserved)
  /\ UNCHANGED <<wanted, lost>>

HandleEnd(c) ==
  /\ phase[c] \in {"releasing", "abandoning"}
  /\ phase' = [phase EXCEPT ![c] = IF lost[c] THEN "asking" ELSE "idle"]
  /\ lost' = [lost EXCEPT ![c] = FALSE]
  /\ PassOn(IF phase[c] = "abandoning" /\ ~Rule("an abandon passes on what is reserved")
            THEN {} ELSE {k \in Locks : owner[k] = c},
            [k \in Locks |-> Without(line[k], c)], owner, reserved)
  /\ wanted' = [wanted EXCEPT ![c] = IF lost[c] THEN @ ELSE {}]

--------------------------------------------------------------------------------
\* Faults.

LoseMessage(c) ==
  /\ Faults /\ c \in messages
  /\ messages' = messages \ {c}
  /\ UNCHANGED <<owner, reserved, line, phase, wanted, lost>>

EntryEnds(c, k) ==
  /\ Faults /\ Has(line[k], c)
  /\ line' = [line EXCEPT ![k] = Without(@, c)]
  /\ UNCHANGED <<owner, reserved, messages, phase, wanted, lost>>

\* The lease of a reservation runs out. The server does nothing at that moment.
ReservationEnds(c, k) ==
  /\ Faults /\ k \in Reserved(c)
  /\ owner' = [owner EXCEPT ![k] = NoClient] /\ reserved' = [reserved EXCEPT ![k] = FALSE]
  /\ lost' = [lost EXCEPT ![c] = TRUE]
  /\ UNCHANGED <<line, messages, phase, wanted>>

--------------------------------------------------------------------------------

Next ==
  \E c \in Clients :
    \/ Begin(c) \/ AttemptAgain(c) \/ Release(c) \/ GiveUp(c)
    \/ HandleAttempt(c) \/ HandleEnd(c)
    \/ LoseMessage(c)
    \/ \E k \in Locks : EntryEnds(c, k) \/ ReservationEnds(c, k)

Fairness ==
  \A c \in Clients :
    /\ WF_vars(AttemptAgain(c)) /\ WF_vars(Release(c))
    /\ WF_vars(HandleAttempt(c)) /\ WF_vars(HandleEnd(c))

Spec == Init /\ [][Next]_vars /\ Fairness

--------------------------------------------------------------------------------
\* The properties.

\* No two clients have one lock. A client has all that it wants, or works under none.
MutualExclusion ==
  \A c \in Clients : phase[c] = "held" => \A k \in wanted[c] : owner[k] = c /\ ~reserved[k]

\* A client that waits has reserved only what comes before.
ReservedInOrder ==
  \A c \in Clients, k, other \in Locks : phase[c] = "waiting" /\ Has(line[k], c) /\ other \in Reserved(c) =>
    other < k \/ c \in messages

\* A lock is reserved only for a client that wants it.
ReservationsAreSeenTo ==
  \A k \in Locks : reserved[k] => k \in wanted[owner[k]] /\ phase[owner[k]] \in {"asking", "waiting", "abandoning"}

\* Where no message is lost and no client gives up, every waiter gets all that it wants,
\* though others, which want one lock each, come and go for ever.
EveryWaiterIsServed ==
  \A c \in Clients : (phase[c] = "waiting") ~> (phase[c] = "held")
================================================================================
