-------------------------------- MODULE Waiting --------------------------------
(******************************************************************************)
(* How those who wait for an exclusive lock learn that it is free: the server *)
(* keeps waiter entries, an end of a lease sends a wake-up to the first of    *)
(* them, and every waiter polls.                                              *)
(*                                                                            *)
(* Acquisitions go on for ever here, so there are no tokens and no tombstones.*)
(* ExclusiveLock.tla has those. README.md explains both.                      *)
(******************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Clients,  \* The instances of the application.
  NoClient, \* The holder of a free lock.
  Faults,   \* Whether wake-ups are lost, entries run out and processes die.
  Polls,    \* Whether waiters look again by themselves.
  Broken    \* The name of the one rule that is left out, or "nothing".

VARIABLES
  holder,     \* The client that the server has given the lock, or NoClient.
  entries,    \* The waiter entries on the server, the first to be woken first.
  wakeUps,    \* The clients to which a wake-up is on its way.
  phase,      \* What each client is doing.
  lookAgain   \* Whether a wake-up came while an attempt was on its way.

vars == <<holder, entries, wakeUps, phase, lookAgain>>

\* An attempt is "sent" until the server has handled it, then "answered" until the
\* client has the answer. Releases and abandons are on their way in the same sense.
Phases == {"idle", "sent", "answered", "waiting", "held", "releasing", "abandoning", "dead"}

Rule(name) == Broken # name
Has(line, c) == \E i \in 1..Len(line) : line[i] = c
Without(line, c) == SelectSeq(line, LAMBDA d : d # c)
Enter(c, p) == phase' = [phase EXCEPT ![c] = p]

Init ==
  /\ holder = NoClient /\ entries = <<>> /\ wakeUps = {}
  /\ phase = [c \in Clients |-> "idle"]
  /\ lookAgain = [c \in Clients |-> FALSE]

--------------------------------------------------------------------------------
\* The client.

SendAttempt(c) ==
  /\ Enter(c, "sent")
  /\ lookAgain' = [lookAgain EXCEPT ![c] = FALSE]
  /\ UNCHANGED <<holder, entries>>

Begin(c) == phase[c] = "idle" /\ SendAttempt(c) /\ UNCHANGED wakeUps

Poll(c) ==
  /\ Polls /\ Rule("waiters poll")
  /\ phase[c] = "waiting"
  /\ SendAttempt(c) /\ UNCHANGED wakeUps

ReceiveGrant(c) ==
  /\ phase[c] = "answered" /\ holder = c
  /\ Enter(c, "held")
  /\ UNCHANGED <<holder, entries, wakeUps, lookAgain>>

ReceiveBusy(c) ==
  /\ phase[c] = "answered" /\ holder # c
  /\ IF lookAgain[c]
     THEN SendAttempt(c)
     ELSE Enter(c, "waiting") /\ UNCHANGED <<holder, entries, lookAgain>>
  /\ UNCHANGED wakeUps

\* A wake-up that comes during an attempt counts when its answer is there.
ReceiveWakeUp(c) ==
  /\ c \in wakeUps
  /\ wakeUps' = wakeUps \ {c}
  /\ IF phase[c] = "waiting"
     THEN SendAttempt(c)
     ELSE /\ lookAgain' = [lookAgain EXCEPT ![c] =
               phase[c] \in {"sent", "answered"} /\ Rule("early wake-ups are remembered")]
          /\ UNCHANGED <<holder, entries, phase>>

Release(c) ==
  /\ phase[c] = "held"
  /\ Enter(c, "releasing")
  /\ UNCHANGED <<holder, entries, wakeUps, lookAgain>>

GiveUp(c) ==
  /\ phase[c] \in {"sent", "answered", "waiting"}
  /\ Enter(c, "abandoning")
  /\ UNCHANGED <<holder, entries, wakeUps, lookAgain>>

--------------------------------------------------------------------------------
\* The server. Each command is one step, as a script is on Redis.

\* The first entry is taken out, and its client is sent a wake-up.
WakeFirst(line) ==
  IF line = <<>>
  THEN entries' = line /\ UNCHANGED wakeUps
  ELSE entries' = Tail(line) /\ wakeUps' = wakeUps \cup {Head(line)}

\* An attempt takes the free lock, or leaves an entry in the same step.
HandleAttempt(c) ==
  /\ phase[c] = "sent"
  /\ Enter(c, "answered")
  /\ IF holder \in {NoClient, c}
     THEN holder' = c /\ entries' = Without(entries, c)
     ELSE /\ entries' = IF Has(entries, c) THEN entries ELSE Append(entries, c)
          /\ UNCHANGED holder
  /\ UNCHANGED <<wakeUps, lookAgain>>

HandleRelease(c) ==
  /\ phase[c] = "releasing"
  /\ Enter(c, "idle")
  /\ IF holder = c
     THEN holder' = NoClient /\ WakeFirst(entries)
     ELSE UNCHANGED <<holder, entries, wakeUps>>
  /\ UNCHANGED lookAgain

\* A client that gives up may be the one that was woken. If the lock is free, the
\* next one is woken in its place.
HandleAbandon(c) ==
  LET others == Without(entries, c) IN
  /\ phase[c] = "abandoning"
  /\ Enter(c, "idle")
  /\ holder' = IF holder = c THEN NoClient ELSE holder
  /\ IF holder = c \/ (holder = NoClient /\ Rule("an abandon wakes the next"))
     THEN WakeFirst(others)
     ELSE entries' = others /\ UNCHANGED wakeUps
  /\ UNCHANGED lookAgain

--------------------------------------------------------------------------------
\* Faults.

LoseWakeUp(c) ==
  /\ Faults /\ c \in wakeUps
  /\ wakeUps' = wakeUps \ {c}
  /\ UNCHANGED <<holder, entries, phase, lookAgain>>

\* An entry that its client does not renew in time is dropped.
EntryEnds(c) ==
  /\ Faults /\ Has(entries, c)
  /\ entries' = Without(entries, c)
  /\ UNCHANGED <<holder, wakeUps, phase, lookAgain>>

Die(c) ==
  /\ Faults /\ phase[c] # "dead"
  /\ Enter(c, "dead")
  /\ UNCHANGED <<holder, entries, wakeUps, lookAgain>>

\* The lease of a dead holder runs out. The server does nothing at that moment, so
\* it sends no wake-up.
LeaseEnds ==
  /\ holder # NoClient /\ phase[holder] = "dead"
  /\ holder' = NoClient
  /\ UNCHANGED <<entries, wakeUps, phase, lookAgain>>

--------------------------------------------------------------------------------

Next ==
  \/ \E c \in Clients :
       \/ Begin(c) \/ Poll(c) \/ GiveUp(c) \/ Release(c)
       \/ HandleAttempt(c) \/ HandleRelease(c) \/ HandleAbandon(c)
       \/ ReceiveGrant(c) \/ ReceiveBusy(c) \/ ReceiveWakeUp(c)
       \/ LoseWakeUp(c) \/ EntryEnds(c) \/ Die(c)
  \/ LeaseEnds

\* What must happen some time when it can: commands and answers arrive, holders
\* release, leases run out, polls come. A wake-up that is not lost arrives.
Fairness ==
  /\ \A c \in Clients :
       /\ WF_vars(HandleAttempt(c)) /\ WF_vars(HandleRelease(c)) /\ WF_vars(HandleAbandon(c))
       /\ WF_vars(ReceiveGrant(c)) /\ WF_vars(ReceiveBusy(c)) /\ WF_vars(ReceiveWakeUp(c))
       /\ WF_vars(Release(c)) /\ WF_vars(Poll(c))
  /\ WF_vars(LeaseEnds)

Spec == Init /\ [][Next]_vars /\ Fairness

--------------------------------------------------------------------------------
\* The properties.

\* Not a promise but the sense of the variables: only the client to which the
\* server has given the lock works under it.
StateIsSound ==
  /\ holder \in Clients \cup {NoClient}
  /\ wakeUps \subseteq Clients
  /\ phase \in [Clients -> Phases]
  /\ lookAgain \in [Clients -> BOOLEAN]
  /\ \A c \in Clients : Len(SelectSeq(entries, LAMBDA d : d = c)) <= 1
  /\ \A c \in Clients : phase[c] = "held" => holder = c

\* No waiter sleeps for ever: a wake-up or a poll reaches it.
EveryWaiterIsReached ==
  \A c \in Clients : (phase[c] = "waiting") ~> (phase[c] # "waiting")

IsOnItsWay(c) ==
  \/ c \in wakeUps
  \/ phase[c] \in {"sent", "abandoning"}
  \/ phase[c] = "answered" /\ lookAgain[c]

\* Without a fault no poll is needed: while clients wait for a free lock, one of
\* them has been woken and is on its way to it.
WakeUpsSuffice ==
  holder = NoClient /\ (\E c \in Clients : phase[c] = "waiting") => \E c \in Clients : IsOnItsWay(c)
================================================================================
