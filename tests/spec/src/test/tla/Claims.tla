--------------------------------- MODULE Claims ---------------------------------
(******************************************************************************)
(* How a release gives the lock to the client that waits first, in the same   *)
(* step. The server grants it for the whole ttl, which is the claim, and      *)
(* sends one message. The client counts from the moment at which it sent its  *)
(* last acknowledged attempt. If that is long ago, or if the lock is to be    *)
(* kept for a time, another attempt confirms the claim first.                 *)
(*                                                                            *)
(* ExclusiveLock.tla has the drift of clocks, tokens and tombstones that end, *)
(* and Waiting.tla who is woken where there are no claims. README.md explains *)
(* all of them.                                                               *)
(******************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,      \* The instances of the application.
  NoRequest,    \* The owner of a free lock.
  Ttl,          \* How long a lease lasts on the server, in units of time.
  Fresh,        \* How much of a ttl is left, at least, where no attempt has to confirm a claim.
  Keepers,      \* The clients whose lock stays taken for a time after they have released it.
  MaxRequests,  \* How many acquisitions a client begins.
  OnlyOnce,     \* The clients that begin only one.
  MaxAttempts,  \* How many acquire commands it sends for one acquisition.
  MaxRenewals,  \* How many renewals it sends for one acquisition.
  MaxCommands,  \* How many commands of all clients a world has before it ends.
  Broken        \* The name of the one rule that is left out, or "nothing".

ASSUME 0 < Fresh /\ Fresh <= Ttl

VARIABLES
  \* What the server stores.
  owner,       \* The request that was granted the lock last and has not ended.
  leaseLeft,   \* How long the owner's lease still lasts.
  entries,     \* The requests that wait, the first one first.
  ended,       \* Tombstones.
  keeps,       \* The owner, if it is known until when the lock stays taken for it.

  \* What each client knows.
  phase,       \* What the client is doing.
  request,     \* The number of its current request.
  attempt,     \* The number of the last attempt of that request.
  renewal,     \* The number of its last renewal.
  sentLeft,    \* How much is left of a ttl since the last command was sent.
  waitLeft,    \* The same for the last attempt that was answered with "busy".
  validity,    \* How long the client may believe in its lease.
  early,       \* Whether a claim came while an attempt was on its way.

  \* The network. Commands may arrive never, late, several times and in any order.
  commands, answers,
  claims,      \* The messages that tell of claims.

  \* What only the properties look at.
  settled,     \* Requests whose end the server has acknowledged.
  excused      \* Requests whose message was lost, or whose client believed too long ago.

server  == <<owner, leaseLeft, entries, ended, keeps>>
client  == <<phase, request, attempt, renewal, sentLeft, waitLeft, validity, early>>
network == <<commands, answers, claims>>
history == <<settled, excused>>
vars    == <<server, client, network, history>>

Requests == Clients \X (1..MaxRequests)
Most(c) == IF c \in OnlyOnce THEN 1 ELSE MaxRequests
Requester(r) == r[1]
Current(c) == <<c, request[c]>>
Rule(name) == Broken # name
Larger(a, b) == IF a > b THEN a ELSE b
Less(a, b) == IF a > b THEN a - b ELSE 0
Without(line, c) == SelectSeq(line, LAMBDA r : Requester(r) # c)

Believes(c) == phase[c] = "held" /\ validity[c] > 0

\* Whether a claim counts without another attempt, if so much is left of a ttl.
IsUsable(c, left) ==
  /\ left >= Fresh
  /\ c \notin Keepers \/ ~Rule("a claim of a lock to be kept is confirmed")

Init ==
  /\ owner = NoRequest /\ leaseLeft = 0 /\ entries = <<>> /\ ended = {} /\ keeps = NoRequest
  /\ phase = [c \in Clients |-> "idle"]
  /\ request = [c \in Clients |-> 0]
  /\ attempt = [c \in Clients |-> 0]
  /\ renewal = [c \in Clients |-> 0]
  /\ sentLeft = [c \in Clients |-> 0]
  /\ waitLeft = [c \in Clients |-> 0]
  /\ validity = [c \in Clients |-> 0]
  /\ early = [c \in Clients |-> FALSE]
  /\ commands = {} /\ answers = {} /\ claims = {}
  /\ settled = {} /\ excused = {}

--------------------------------------------------------------------------------
\* The network.

Command(kind, r, number) == [kind |-> kind, request |-> r, number |-> number]

Send(command) == commands' = commands \cup {command}

IsAwaited(command) ==
  LET c == Requester(command.request) IN
  /\ command.request = Current(c)
  /\ CASE command.kind = "acquire" -> phase[c] = "asking" /\ command.number = attempt[c]
       [] command.kind = "renew"   -> phase[c] = "held" /\ command.number = renewal[c]
       [] command.kind = "release" -> phase[c] = "releasing"
       [] command.kind = "abandon" -> phase[c] = "abandoning"

Answer(command, result) ==
  answers' = IF IsAwaited(command)
             THEN answers \cup {[request |-> command.request, result |-> result]}
             ELSE answers

IgnoreAnswers(c) == answers' = {a \in answers : Requester(a.request) # c}

--------------------------------------------------------------------------------
\* The client.

SendAttempt(c, r, number, others) ==
  /\ phase' = [phase EXCEPT ![c] = "asking"]
  /\ attempt' = [attempt EXCEPT ![c] = number]
  /\ sentLeft' = [sentLeft EXCEPT ![c] = Ttl]
  /\ waitLeft' = [waitLeft EXCEPT ![c] =
       IF number = 1 THEN 0 ELSE IF Rule("only an acknowledged command counts") THEN @ ELSE Ttl]
  /\ early' = [early EXCEPT ![c] = FALSE]
  /\ commands' = others \cup {Command("acquire", r, number)}
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<validity, server, history>>

Begin(c) ==
  /\ phase[c] = "idle" /\ request[c] < Most(c)
  /\ request' = [request EXCEPT ![c] = @ + 1]
  /\ renewal' = [renewal EXCEPT ![c] = 0]
  /\ SendAttempt(c, <<c, request[c] + 1>>, 1, commands)
  /\ UNCHANGED claims

\* A waiter polls.
AttemptAgain(c) ==
  /\ phase[c] = "waiting" /\ attempt[c] < MaxAttempts
  /\ SendAttempt(c, Current(c), attempt[c] + 1, commands)
  /\ UNCHANGED <<request, renewal, claims>>

\* The next caller of the client has other terms: it goes on with a request of its own,
\* in the place of the entry that stands, and without an end of the one before. It does
\* so where no attempt of that was sent twice: the server has nothing of it but the
\* entry, or a claim whose message is on its way.
GoOn(c) ==
  /\ phase[c] = "waiting" /\ request[c] < Most(c)
  /\ owner = Current(c) => Current(c) \in claims \cup excused
  /\ request' = [request EXCEPT ![c] = @ + 1]
  /\ SendAttempt(c, <<c, request[c] + 1>>, 1, {command \in commands : command.request # Current(c)})
  /\ UNCHANGED <<renewal, claims>>

\* An answer has not come in time: the client waits on, with what it knew before.
TimeOut(c) ==
  /\ phase[c] = "asking" /\ waitLeft[c] > 0
  /\ phase' = [phase EXCEPT ![c] = "waiting"]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, sentLeft, waitLeft, validity, early, commands, claims,
                 server, history>>

GiveUp(c) ==
  /\ phase[c] \in {"asking", "waiting"}
  /\ phase' = [phase EXCEPT ![c] = "abandoning"]
  /\ Send(Command("abandon", Current(c), 0))
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, sentLeft, waitLeft, validity, early, claims, server, history>>

Hold(c, window) ==
  /\ phase' = [phase EXCEPT ![c] = "held"]
  /\ validity' = [validity EXCEPT ![c] = window]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, sentLeft, waitLeft, early>>

SendRenewal(c) ==
  /\ Believes(c) /\ renewal[c] < MaxRenewals
  /\ renewal' = [renewal EXCEPT ![c] = @ + 1]
  /\ sentLeft' = [sentLeft EXCEPT ![c] = Ttl]
  /\ Send(Command("renew", Current(c), renewal[c] + 1))
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<phase, request, attempt, waitLeft, validity, early, claims, server, history>>

Release(c) ==
  /\ Believes(c)
  /\ phase' = [phase EXCEPT ![c] = "releasing"]
  /\ Send(Command("release", Current(c), 0))
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, sentLeft, waitLeft, validity, early, claims, server, history>>

Rest(c) ==
  /\ phase' = [phase EXCEPT ![c] = "idle"]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, sentLeft, waitLeft, validity, early, commands, claims, server>>

Expire(c) ==
  /\ phase[c] = "held" /\ validity[c] = 0
  /\ Rest(c)
  /\ excused' = excused \cup {Current(c)}
  /\ UNCHANGED settled

AnswersTo(c) == {answer \in answers : Requester(answer.request) = c}

ReceiveGrant(c) == \E answer \in AnswersTo(c) :
  /\ answer.result = "granted" /\ sentLeft[c] > 0
  /\ Hold(c, sentLeft[c])
  /\ UNCHANGED <<commands, claims, server, history>>

\* A claim that has come before this answer is later than the attempt all the same.
ReceiveBusy(c) == \E answer \in AnswersTo(c) :
  /\ answer.result = "busy"
  /\ IF early[c] /\ IsUsable(c, sentLeft[c])
     THEN Hold(c, sentLeft[c])
     ELSE /\ phase' = [phase EXCEPT ![c] = "waiting"]
          /\ waitLeft' = [waitLeft EXCEPT ![c] = sentLeft[c]]
          /\ IgnoreAnswers(c)
          /\ UNCHANGED <<request, attempt, renewal, sentLeft, validity, early>>
  /\ UNCHANGED <<commands, claims, server, history>>

ReceiveRenewed(c) == \E answer \in AnswersTo(c) :
  /\ answer.result = "renewed" /\ validity[c] > 0
  /\ validity' = [validity EXCEPT ![c] = Larger(@, sentLeft[c])]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<phase, request, attempt, renewal, sentLeft, waitLeft, early, commands, claims, server, history>>

ReceiveEnd(c) == \E answer \in AnswersTo(c) :
  /\ answer.result \in {"refused", "not yours", "released", "abandoned"}
  /\ Rest(c)
  /\ settled' = settled \cup {answer.request}
  /\ UNCHANGED excused

\* The message may come twice, after the request has ended, and after an attempt has
\* found the lock held by the request already.
ReceiveClaim(c) == \E r \in claims :
  /\ Requester(r) = c
  /\ \/ claims' = claims \ {r}
     \/ UNCHANGED claims
  /\ IF r = Current(c) /\ phase[c] = "waiting" /\ IsUsable(c, waitLeft[c])
     THEN /\ Hold(c, IF Rule("a claim counts from the wait command") THEN waitLeft[c] ELSE Ttl)
          /\ UNCHANGED <<commands, server, history>>
     ELSE IF r = Current(c) /\ phase[c] = "waiting"
     THEN \* Another attempt confirms the claim.
          /\ SendAttempt(c, r, attempt[c] + 1, commands)
          /\ UNCHANGED <<request, renewal>>
     ELSE IF r = Current(c) /\ phase[c] = "asking"
     THEN /\ early' = [early EXCEPT ![c] = TRUE]
          /\ UNCHANGED <<phase, request, attempt, renewal, sentLeft, waitLeft, validity, commands, answers,
                         server, history>>
     ELSE \* No request waits for it, unless the lock is held by it.
          /\ commands' = IF (r = Current(c) /\ phase[c] \in {"held", "releasing"}
                             /\ Rule("a claim in use is not given up"))
                            \/ ~Rule("an unwanted claim is given up")
                         THEN commands
                         ELSE commands \cup {Command("abandon", r, 0)}
          /\ UNCHANGED <<client, answers, server, history>>

--------------------------------------------------------------------------------
\* The server. Each command is one step, as a script is on Redis.

Holds(r) == owner = r /\ leaseLeft > 0

\* The first request in line has the lock from here on. If it keeps the lock, the time
\* for that begins with its next attempt, so a client that has died keeps nothing.
PassOn(line) ==
  /\ keeps' = NoRequest
  /\ IF line = <<>>
     THEN /\ owner' = NoRequest /\ leaseLeft' = 0 /\ entries' = line
          /\ UNCHANGED claims
     ELSE /\ owner' = Head(line) /\ leaseLeft' = Ttl /\ entries' = Tail(line)
          /\ claims' = claims \cup {Head(line)}

KeptBy(r) == IF Requester(r) \in Keepers THEN r ELSE NoRequest

HasEnded(r) ==
  \/ r \in ended
  \/ owner = r /\ leaseLeft = 0
  \/ \E other \in ended \cup ({owner} \ {NoRequest}) : other[1] = r[1] /\ other[2] > r[2]

\* In the place of an earlier request of the same client, or behind the others.
Join(r) ==
  IF \E i \in 1..Len(entries) : Requester(entries[i]) = Requester(r)
  THEN [i \in 1..Len(entries) |-> IF Requester(entries[i]) = Requester(r) THEN r ELSE entries[i]]
  ELSE Append(entries, r)

HandleAcquire == \E command \in commands : LET r == command.request IN
  /\ command.kind = "acquire"
  /\ IF Holds(r)
     THEN /\ leaseLeft' = Ttl
          /\ keeps' = KeptBy(r)
          /\ Answer(command, "granted")
          /\ UNCHANGED <<owner, entries, ended>>
     ELSE IF HasEnded(r)
     THEN /\ Answer(command, "refused")
          /\ UNCHANGED server
     ELSE IF leaseLeft > 0
     THEN /\ entries' = Join(r)
          /\ Answer(command, "busy")
          /\ UNCHANGED <<owner, leaseLeft, ended, keeps>>
     ELSE /\ owner' = r /\ leaseLeft' = Ttl
          /\ keeps' = KeptBy(r)
          /\ ended' = ended \cup ({owner} \ {NoRequest})
          /\ entries' = Without(entries, Requester(r))
          /\ Answer(command, "granted")
  /\ UNCHANGED <<client, commands, claims, history>>

HandleRenewal == \E command \in commands :
  /\ command.kind = "renew"
  /\ IF Holds(command.request)
     THEN leaseLeft' = Ttl /\ Answer(command, "renewed")
     ELSE UNCHANGED leaseLeft /\ Answer(command, "not yours")
  /\ UNCHANGED <<owner, entries, ended, keeps, client, commands, claims, history>>

HandleRelease == \E command \in commands : LET r == command.request IN
  /\ command.kind = "release"
  /\ IF ~Holds(r)
     THEN UNCHANGED <<owner, leaseLeft, entries, keeps, claims>>
     ELSE IF keeps = r
     THEN \* The lock stays taken. When that is over, no request is given the lock: waiters poll.
          /\ owner' = NoRequest /\ leaseLeft' = 0 /\ keeps' = NoRequest
          /\ UNCHANGED <<entries, claims>>
     ELSE PassOn(entries)
  /\ ended' = ended \cup {r}
  /\ Answer(command, "released")
  /\ UNCHANGED <<client, commands, history>>

\* The entry of the request goes, but not that of a later one.
HandleAbandon == \E command \in commands :
  LET r == command.request
      rest == IF Rule("an abandon removes the entry") THEN SelectSeq(entries, LAMBDA e : e # r) ELSE entries
  IN
  /\ command.kind = "abandon"
  /\ IF owner = r \/ leaseLeft = 0
     THEN PassOn(rest)
     ELSE entries' = rest /\ UNCHANGED <<owner, leaseLeft, keeps, claims>>
  /\ ended' = ended \cup {r} \cup (IF leaseLeft = 0 THEN {owner} \ {NoRequest} ELSE {})
  /\ Answer(command, "abandoned")
  /\ UNCHANGED <<client, commands, history>>

--------------------------------------------------------------------------------
\* Time, and a message that is lost.

Tick ==
  /\ leaseLeft > 0 \/ \E c \in Clients : validity[c] > 0
  /\ leaseLeft' = Less(leaseLeft, 1)
  /\ sentLeft' = [c \in Clients |-> Less(sentLeft[c], 1)]
  /\ waitLeft' = [c \in Clients |-> Less(waitLeft[c], 1)]
  /\ validity' = [c \in Clients |-> Less(validity[c], 1)]
  /\ UNCHANGED <<owner, entries, ended, keeps, phase, request, attempt, renewal, early, network, history>>

LoseClaim == \E r \in claims :
  /\ claims' = claims \ {r}
  /\ excused' = excused \cup {r}
  /\ UNCHANGED <<server, client, commands, answers, settled>>

Next ==
  \/ \E c \in Clients :
       \/ Begin(c) \/ AttemptAgain(c) \/ GoOn(c) \/ TimeOut(c) \/ GiveUp(c) \/ SendRenewal(c) \/ Release(c)
       \/ Expire(c)
       \/ ReceiveGrant(c) \/ ReceiveBusy(c) \/ ReceiveRenewed(c) \/ ReceiveEnd(c) \/ ReceiveClaim(c)
  \/ HandleAcquire \/ HandleRenewal \/ HandleRelease \/ HandleAbandon
  \/ Tick \/ LoseClaim

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients)

\* A claim is confirmed by one attempt more than there are polls.
FewAttempts == \A c \in Clients : attempt[c] <= MaxAttempts + 1

FewCommands == Cardinality(commands) <= MaxCommands

--------------------------------------------------------------------------------
\* The properties.

\* Two clients never believe at the same time that they have the lock.
MutualExclusion == \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d

\* What a client believes the server has granted, and for at least as long.
ServerAgrees ==
  \A c \in Clients : Believes(c) => owner = Current(c) /\ leaseLeft >= validity[c]

\* No client uses a lock that is to be kept before the server knows for how long.
KeptBeforeItIsUsed == \A c \in Keepers : Believes(c) => keeps = Current(c)

\* Once the end of a request is acknowledged, no claim is granted to it.
NoEndedRequestHolds == \A r \in settled : ~Holds(r)

\* A lock is not kept for a request that its client has forgotten, but for as long as
\* a message takes: a client that gets a claim that it does not want gives it up.
ClaimsAreSeenTo ==
  owner # NoRequest /\ leaseLeft > 0 =>
    LET c == Requester(owner) IN
    \/ owner \in claims \cup excused
    \/ owner = Current(c) /\ phase[c] # "idle"
    \/ Command("abandon", owner, 0) \in commands
    \/ Command("release", owner, 0) \in commands
================================================================================
