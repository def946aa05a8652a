----------------------------- MODULE ExclusiveLock -----------------------------
(******************************************************************************)
(* One exclusive lock: a server, clients with leases, and a network that      *)
(* loses, delays and repeats messages.                                        *)
(*                                                                            *)
(* The model states what the scripts and the engine promise, and not how they *)
(* store it. README.md explains it to readers who do not know TLA+.           *)
(******************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Clients,      \* The instances of the application.
  NoRequest,    \* The owner of a lock that no request has.
  Ttl,          \* How long a lease lasts on the server, in units of time.
  Delay,        \* How long the lock stays closed after a lease has run out.
  Drift,        \* By how much a client's clock may be late within one lease.
  MaxRequests,  \* How many acquisitions a client begins.
  MaxAttempts,  \* How many acquire commands it sends for one acquisition.
  MaxRenewals,  \* How many renewals it sends for one acquisition.
  MaxLosses,    \* How many restarts of the server lose all data.
  MaxSteps,     \* How many times the server's clock is set back.
  MaxCrashes,   \* How many times a client's process dies and starts again.
  Spare,        \* How many tokens a grant reserves for callers of the same client.
  TombstonesEnd, \* Whether the retention time of tombstones may come to its end.
  Broken        \* The name of the one rule that is left out, or "nothing".

ASSUME Drift < Ttl

VARIABLES
  \* What the server stores.
  owner,        \* The request that was granted the lock last and has not ended.
  leaseLeft,    \* How long the owner's lease still lasts, in server time.
  delayLeft,    \* How long the lock is still closed after a lease that has run out.
  lastToken,    \* The last fencing token that was granted or reserved.
  released,     \* Tombstones of requests that have been released.
  refused,      \* Tombstones of requests that were abandoned or have expired.
  clock,        \* The server's clock, as far as tokens are made from it.

  \* What each client knows.
  phase,        \* What the client is doing.
  request,      \* The number of its current request.
  attempt,      \* The number of the current acquire command of that request.
  renewal,      \* The number of the last renewal of that request.
  validity,     \* How long the client may believe in its lease, from the send.
  renewalLeft,  \* What a confirmation of the last renewal would leave to it.
  highest,      \* The highest token that the client has seen.
  spare,        \* How many reserved tokens it has left.

  \* The network.
  commands,     \* All commands that may still reach the server.
  answers,      \* All answers that may still reach a client that waits for them.

  \* What only the properties look at.
  settled,      \* Requests whose end the server has acknowledged to the client.
  onItsWay,     \* How long what a client sent before it lost its lock may arrive late.
  ranOut,       \* Requests whose lease came to its end on the server.
  forgotten,    \* Requests that the server knew when it lost its data.
  highestToken, \* The highest token that was ever granted.
  losses, steps, crashes

server  == <<owner, leaseLeft, delayLeft, lastToken, released, refused, clock>>
client  == <<phase, request, attempt, renewal, validity, renewalLeft, highest, spare>>
network == <<commands, answers>>
history == <<settled, onItsWay, ranOut, forgotten, highestToken, losses, steps, crashes>>
vars    == <<server, client, network, history>>

Requests == Clients \X (1..MaxRequests)
Requester(r) == r[1]
Current(c) == <<c, request[c]>>
Rule(name) == Broken # name
Larger(a, b) == IF a > b THEN a ELSE b

Believes(c) == phase[c] = "held" /\ validity[c] > 0

Init ==
  /\ owner = NoRequest /\ leaseLeft = 0 /\ delayLeft = 0 /\ lastToken = 0 /\ clock = 1
  /\ released = {} /\ refused = {}
  /\ phase = [c \in Clients |-> "idle"]
  /\ request = [c \in Clients |-> 0]
  /\ attempt = [c \in Clients |-> 0]
  /\ renewal = [c \in Clients |-> 0]
  /\ validity = [c \in Clients |-> 0]
  /\ renewalLeft = [c \in Clients |-> 0]
  /\ highest = [c \in Clients |-> 0]
  /\ spare = [c \in Clients |-> 0]
  /\ commands = {} /\ answers = {}
  /\ onItsWay = [c \in Clients |-> 0]
  /\ settled = {} /\ ranOut = {} /\ forgotten = {}
  /\ highestToken = 0 /\ losses = 0 /\ steps = 0 /\ crashes = 0

--------------------------------------------------------------------------------
\* The network. A message stays in its set when it is received. So it may arrive
\* never, late, several times, and in any order with others.

Send(command) == commands' = commands \cup {command}

Command(kind, r, number, seen) ==
  [kind |-> kind, request |-> r, number |-> number, seen |-> seen]

\* An answer is kept only while its client waits for it.
IsAwaited(command) ==
  LET c == Requester(command.request) IN
  /\ command.request = Current(c)
  /\ CASE command.kind = "acquire" -> phase[c] = "acquiring" /\ command.number = attempt[c]
       [] command.kind = "renew"   -> phase[c] = "held" /\ command.number = renewal[c]
       [] command.kind = "release" -> phase[c] = "releasing"
       [] command.kind = "abandon" -> phase[c] = "abandoning"

Answer(command, result, token) ==
  answers' = IF IsAwaited(command)
             THEN answers \cup {[kind |-> command.kind, request |-> command.request,
                                 result |-> result, token |-> token]}
             ELSE answers

\* The client waits for no answer to what it has sent for its request so far.
IgnoreAnswers(c) == answers' = {a \in answers : Requester(a.request) # c}

--------------------------------------------------------------------------------
\* The client.

\* How long the client believes, in real time. It counts on its own clock, which
\* may be late by Drift, and so takes Drift off. Every clock here is as late as
\* it may be.
Window ==
  (IF Rule("validity leaves room for drift") THEN Ttl - Drift ELSE Ttl) + Drift

SendAcquire(c) ==
  /\ validity' = [validity EXCEPT ![c] = Window]
  /\ phase' = [phase EXCEPT ![c] = "acquiring"]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<renewalLeft, highest, spare, server, history>>

BeginRequest(c) ==
  /\ phase[c] = "idle" /\ request[c] < MaxRequests
  /\ request' = [request EXCEPT ![c] = @ + 1]
  /\ attempt' = [attempt EXCEPT ![c] = 1]
  /\ renewal' = [renewal EXCEPT ![c] = 0]
  /\ Send(Command("acquire", <<c, request[c] + 1>>, 1, highest[c]))
  /\ SendAcquire(c)

\* A waiter attempts again with the same request, as it is woken or polls.
AttemptAgain(c) ==
  /\ phase[c] = "waiting" /\ attempt[c] < MaxAttempts
  /\ attempt' = [attempt EXCEPT ![c] = @ + 1]
  /\ Send(Command("acquire", Current(c), attempt[c] + 1, highest[c]))
  /\ SendAcquire(c)
  /\ UNCHANGED <<request, renewal>>

\* The outcome is unknown, or the answer came too late, or the budget has ended.
GiveUp(c) ==
  /\ phase[c] \in {"acquiring", "waiting"}
  /\ phase' = [phase EXCEPT ![c] = "abandoning"]
  /\ validity' = [validity EXCEPT ![c] = 0]
  /\ Send(Command("abandon", Current(c), 0, 0))
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, renewalLeft, highest, spare, server, history>>

SendRenewal(c) ==
  /\ Believes(c) /\ renewal[c] < MaxRenewals
  /\ renewal' = [renewal EXCEPT ![c] = @ + 1]
  /\ renewalLeft' = [renewalLeft EXCEPT ![c] = Window]
  /\ Send(Command("renew", Current(c), renewal[c] + 1, 0))
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<phase, request, attempt, validity, highest, spare, server, history>>

Release(c) ==
  /\ Believes(c)
  /\ phase' = [phase EXCEPT ![c] = "releasing"]
  /\ validity' = [validity EXCEPT ![c] = 0]
  /\ renewalLeft' = [renewalLeft EXCEPT ![c] = 0]
  /\ Send(Command("release", Current(c), 0, 0))
  /\ spare' = [spare EXCEPT ![c] = 0]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, highest, server, history>>

\* A caller leaves the lock, and the next one of the same client has it. The server
\* is not told: it is the same request, with a token that is reserved for it.
HandOn(c) ==
  /\ Believes(c) /\ spare[c] > 0
  /\ spare' = [spare EXCEPT ![c] = @ - 1]
  /\ highest' = [highest EXCEPT ![c] = @ + 1]
  /\ highestToken' = Larger(highestToken, highest'[c])
  /\ UNCHANGED <<phase, request, attempt, renewal, validity, renewalLeft, server, network,
                 settled, onItsWay, ranOut, forgotten, losses, steps, crashes>>

Rest(c) ==
  /\ phase' = [phase EXCEPT ![c] = "idle"]
  /\ validity' = [validity EXCEPT ![c] = 0]
  /\ renewalLeft' = [renewalLeft EXCEPT ![c] = 0]
  /\ spare' = [spare EXCEPT ![c] = 0]
  /\ IgnoreAnswers(c)

\* The end of the validity needs no message: the client is notified of the loss.
Expire(c) ==
  /\ phase[c] = "held" /\ validity[c] = 0
  /\ Rest(c)
  /\ UNCHANGED <<request, attempt, renewal, highest, commands, server, history>>

\* The process dies. The one that is started instead has seen no token.
Crash(c) ==
  /\ crashes < MaxCrashes /\ phase[c] # "idle"
  /\ crashes' = crashes + 1
  /\ Rest(c)
  /\ onItsWay' = [onItsWay EXCEPT ![c] = IF Believes(c) THEN Delay ELSE @]
  /\ highest' = [highest EXCEPT ![c] = 0]
  /\ UNCHANGED <<request, attempt, renewal, commands, server, settled, ranOut, forgotten,
                 highestToken, losses, steps>>

AnswersTo(c) == {answer \in answers : Requester(answer.request) = c}

ReceiveGrant(c) == \E answer \in AnswersTo(c) :
  /\ answer.kind = "acquire" /\ answer.result = "granted" /\ validity[c] > 0
  /\ phase' = [phase EXCEPT ![c] = "held"]
  /\ validity' = [validity EXCEPT ![c] =
       IF Rule("validity counts from the send") THEN @ ELSE Window]
  /\ highest' = [highest EXCEPT ![c] = Larger(@, answer.token)]
  /\ spare' = [spare EXCEPT ![c] = Spare]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, renewalLeft, commands, server, history>>

ReceiveBusy(c) == \E answer \in AnswersTo(c) :
  /\ answer.kind = "acquire" /\ answer.result = "busy"
  /\ phase' = [phase EXCEPT ![c] = "waiting"]
  /\ validity' = [validity EXCEPT ![c] = 0]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<request, attempt, renewal, renewalLeft, highest, spare, commands, server, history>>

ReceiveRenewed(c) == \E answer \in AnswersTo(c) :
  /\ answer.kind = "renew" /\ answer.result = "renewed" /\ validity[c] > 0
  /\ validity' = [validity EXCEPT ![c] = Larger(@, renewalLeft[c])]
  /\ renewalLeft' = [renewalLeft EXCEPT ![c] = 0]
  /\ IgnoreAnswers(c)
  /\ UNCHANGED <<phase, request, attempt, renewal, highest, spare, commands, server, history>>

\* The request has ended: it is acknowledged, refused, or lost.
ReceiveEnd(c) == \E answer \in AnswersTo(c) :
  /\ answer.result \in {"refused", "not yours", "released", "abandoned"}
  /\ Rest(c)
  /\ settled' = settled \cup {answer.request}
  /\ UNCHANGED <<request, attempt, renewal, highest, commands, server, onItsWay, ranOut, forgotten,
                 highestToken, losses, steps, crashes>>

--------------------------------------------------------------------------------
\* The server. Each command is one step, as a script is on Redis.

Holds(r) == owner = r /\ leaseLeft > 0

NextToken(seen) ==
  LET fromClock == IF Rule("tokens are not below the clock") THEN clock ELSE 0
      fromClient == IF Rule("tokens are above what the client has seen") THEN seen + 1 ELSE 0
  IN  Larger(lastToken + 1, Larger(fromClock, fromClient))

Reserved == IF Rule("spare tokens are reserved") THEN Spare ELSE 0

\* The owner before has let its lease run out, so its late commands are refused.
Grant(command) == LET token == NextToken(command.seen) IN
  /\ owner' = command.request
  /\ leaseLeft' = Ttl
  /\ delayLeft' = 0
  /\ lastToken' = token + Reserved
  /\ highestToken' = Larger(highestToken, token)
  /\ refused' = refused \cup ({owner} \ {NoRequest})
  /\ clock' = clock + 1
  /\ Answer(command, "granted", token)

HasEnded(r) ==
  \/ r \in released
  \/ r \in refused /\ Rule("abandoned requests are refused")
  \/ owner = r /\ leaseLeft = 0

HandleAcquire == \E command \in commands : LET r == command.request IN
  /\ command.kind = "acquire"
  /\ IF Holds(r)
     THEN \* A repeated command gets the same grant again; if it reserves tokens,
          \* with a new one and those behind it.
          LET token == IF Spare > 0 THEN NextToken(command.seen) ELSE lastToken IN
          /\ leaseLeft' = Ttl
          /\ lastToken' = IF Spare > 0 THEN token + Reserved ELSE lastToken
          /\ highestToken' = Larger(highestToken, token)
          /\ clock' = IF Spare > 0 THEN clock + 1 ELSE clock
          /\ Answer(command, "granted", token)
          /\ UNCHANGED <<owner, delayLeft, released, refused>>
     ELSE IF HasEnded(r)
     THEN /\ Answer(command, "refused", 0)
          /\ UNCHANGED <<server, highestToken>>
     ELSE IF leaseLeft > 0 \/ delayLeft > 0
     THEN /\ Answer(command, "busy", 0)
          /\ UNCHANGED <<server, highestToken>>
     ELSE /\ Grant(command)
          /\ UNCHANGED released
  /\ UNCHANGED <<client, commands, settled, onItsWay, ranOut, forgotten, losses, steps, crashes>>

HandleRenewal == \E command \in commands :
  /\ command.kind = "renew"
  /\ IF Holds(command.request) \/ (leaseLeft > 0 /\ ~Rule("renewal compares the owner"))
     THEN /\ leaseLeft' = Ttl
          /\ Answer(command, "renewed", 0)
     ELSE /\ Answer(command, "not yours", 0)
          /\ UNCHANGED leaseLeft
  /\ UNCHANGED <<owner, delayLeft, lastToken, released, refused, clock, client, commands, history>>

Free ==
  /\ owner' = NoRequest
  /\ leaseLeft' = 0
  /\ delayLeft' = 0

HandleRelease == \E command \in commands :
  LET r == command.request
      others == IF Rule("all released requests are remembered") THEN released ELSE {}
  IN
  /\ command.kind = "release"
  /\ IF Holds(r) \/ ~Rule("release compares the owner")
     THEN /\ Free
          /\ released' = others \cup {r}
          /\ Answer(command, "released", 0)
     ELSE /\ Answer(command, IF r \in released THEN "released" ELSE "not yours", 0)
          /\ UNCHANGED <<owner, leaseLeft, delayLeft, released>>
  /\ UNCHANGED <<lastToken, refused, clock, client, commands, history>>

HandleAbandon == \E command \in commands : LET r == command.request IN
  /\ command.kind = "abandon"
  /\ IF owner = r THEN Free ELSE UNCHANGED <<owner, leaseLeft, delayLeft>>
  /\ refused' = refused \cup {r}
  /\ Answer(command, "abandoned", 0)
  /\ UNCHANGED <<lastToken, released, clock, client, commands, history>>

--------------------------------------------------------------------------------
\* Time, and faults of the server.

Less(n) == IF n > 0 THEN n - 1 ELSE 0

Tick ==
  /\ leaseLeft > 0 \/ delayLeft > 0 \/ \E c \in Clients : validity[c] > 0 \/ onItsWay[c] > 0
  /\ leaseLeft' = Less(leaseLeft)
  /\ delayLeft' = IF leaseLeft = 1 /\ Rule("a lease that runs out closes the lock")
                  THEN Delay ELSE Less(delayLeft)
  /\ onItsWay' = [c \in Clients |-> IF phase[c] = "held" /\ validity[c] = 1
                                    THEN Delay ELSE Less(onItsWay[c])]
  /\ validity' = [c \in Clients |-> Less(validity[c])]
  /\ renewalLeft' = [c \in Clients |-> Less(renewalLeft[c])]
  /\ ranOut' = IF leaseLeft = 1 THEN ranOut \cup {owner} ELSE ranOut
  /\ UNCHANGED <<owner, lastToken, released, refused, clock, phase, request, attempt, renewal,
                 highest, spare, network, settled, forgotten, highestToken, losses, steps, crashes>>

\* The server comes back empty: owner, token and tombstones are gone.
LoseData ==
  /\ losses < MaxLosses /\ lastToken > 0
  /\ losses' = losses + 1
  /\ forgotten' = forgotten \cup released \cup refused \cup ({owner} \ {NoRequest})
  /\ Free /\ lastToken' = 0 /\ released' = {} /\ refused' = {}
  /\ UNCHANGED <<clock, client, network, settled, onItsWay, ranOut, highestToken, steps, crashes>>

SetClockBack ==
  /\ steps < MaxSteps /\ clock > 1
  /\ steps' = steps + 1
  /\ clock' = 1
  /\ UNCHANGED <<owner, leaseLeft, delayLeft, lastToken, released, refused, client, network, settled,
                 onItsWay, ranOut, forgotten, highestToken, losses, crashes>>

\* No copy of a command of this past request will arrive any more.
CopiesAreGone(r) ==
  /\ TombstonesEnd /\ r \in settled
  /\ \E command \in commands : command.request = r
  /\ commands' = {command \in commands : command.request # r}
  /\ UNCHANGED <<server, client, answers, history>>

\* The retention time of a tombstone is longer than any copy is on its way.
TombstoneEnds(r) ==
  /\ TombstonesEnd /\ r \in released \cup refused
  /\ Rule("tombstones outlast late copies") => \A command \in commands : command.request # r
  /\ released' = released \ {r} /\ refused' = refused \ {r}
  /\ UNCHANGED <<owner, leaseLeft, delayLeft, lastToken, clock, client, network, history>>

Next ==
  \/ \E c \in Clients :
       \/ BeginRequest(c) \/ AttemptAgain(c) \/ GiveUp(c) \/ SendRenewal(c) \/ Release(c)
       \/ HandOn(c)
       \/ Expire(c) \/ Crash(c)
       \/ ReceiveGrant(c) \/ ReceiveBusy(c) \/ ReceiveRenewed(c) \/ ReceiveEnd(c)
  \/ HandleAcquire \/ HandleRenewal \/ HandleRelease \/ HandleAbandon
  \/ Tick \/ LoseData \/ SetClockBack
  \/ \E r \in Requests : CopiesAreGone(r) \/ TombstoneEnds(r)

Spec == Init /\ [][Next]_vars

--------------------------------------------------------------------------------
\* The properties.

\* Two clients never believe at the same time that they have the lock, unless the
\* server has forgotten the request of one of them.
MutualExclusion ==
  \A c, d \in Clients :
    Believes(c) /\ Believes(d) /\ c # d => {Current(c), Current(d)} \cap forgotten # {}

\* What a client believes the server has granted, and for at least as long.
ServerAgrees ==
  \A c \in Clients :
    Believes(c) /\ Current(c) \notin forgotten => owner = Current(c) /\ leaseLeft >= validity[c]

\* No late copy takes the lock for a request whose end was acknowledged.
NoEndedRequestHolds ==
  \A r \in settled \ forgotten : ~Holds(r)

\* Nothing that a client sent before it lost the lock arrives while another one has
\* it, if it arrives within Delay. Not after a loss of data.
ClosedAfterALoss ==
  \A c, d \in Clients : onItsWay[c] > 0 /\ Believes(d) /\ c # d => losses > 0

\* A client is told "not yours" only when its lease has run out on the server, or
\* when the server has forgotten it. A repeated release is a success.
NoFalseLoss ==
  \A answer \in answers :
    answer.result = "not yours" => answer.request \in ranOut \cup forgotten

\* The server confirms a lease only to the request that has it, for the whole of
\* Ttl. So a client that was forgotten is told at its next renewal.
ConfirmationsAreTrue ==
  [][\A answer \in answers' \ answers :
       answer.result \in {"granted", "renewed"} => owner' = answer.request /\ leaseLeft' = Ttl]_vars

NewGrant == owner' # owner /\ owner' # NoRequest

\* Each grant has a larger token than all before it, those that were handed on
\* within a client among them, also after a loss of data,
\* and also after the clock was set back. Both together are not promised.
TokensGrow ==
  [][NewGrant => lastToken' - Reserved > highestToken \/ (losses > 0 /\ steps > 0)]_vars

\* The tokens of one process grow whatever is lost and however clocks are set.
TokensOfOneClientGrow ==
  [][\A c \in Clients :
       phase[c] = "acquiring" /\ phase'[c] = "held" => highest'[c] > highest[c]]_vars

--------------------------------------------------------------------------------
\* What is not promised. The tests require that the model shows why.

OneHolderAfterLossOfData ==
  \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d

LateCopyIsRefusedAfterLossOfData ==
  \A r \in settled : ~Holds(r)

TokensGrowAfterLossAndClockSetBack ==
  [][NewGrant => lastToken' - Reserved > highestToken]_vars

\* A command may be repeated for ever, and each copy reserves tokens.
FewTokens == lastToken < 9

\* Clients are alike, so states that differ only in their names are one state.
Symmetry == Permutations(Clients)
================================================================================
