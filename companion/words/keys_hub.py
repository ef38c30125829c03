"""The hub's page in four languages, key by key.

The page is made by the hub alone and its sentences are short, so they stand here beside each other, where a translator
sees all four at once; what the page shares with the screen (phases, colours, reasons of the rules) comes from the
catalogs like everywhere else.
"""

from __future__ import annotations

SENTENCES: dict[str, dict[str, str]] = {
    "hub.title": {
        "en": "Tournament hub", "nl": "Toernooicentrale", "it": "Centrale del torneo", "cs": "Ústředna turnaje",
    },
    "hub.tables": {"en": "Tables", "nl": "Tafels", "it": "Tavoli", "cs": "Stoly"},
    "hub.table": {"en": "Table {table}", "nl": "Tafel {table}", "it": "Tavolo {table}", "cs": "Stůl {table}"},
    "hub.round": {"en": "Round {round}", "nl": "Ronde {round}", "it": "Turno {round}", "cs": "Kolo {round}"},
    "hub.standings": {"en": "Standings", "nl": "Stand", "it": "Classifica", "cs": "Pořadí"},
    "hub.results": {"en": "Results", "nl": "Uitslagen", "it": "Risultati", "cs": "Výsledky"},
    "hub.place": {"en": "Place", "nl": "Plaats", "it": "Posto", "cs": "Místo"},
    "hub.player": {"en": "Player", "nl": "Speler", "it": "Giocatore", "cs": "Hráč"},
    "hub.points": {"en": "Points", "nl": "Punten", "it": "Punti", "cs": "Body"},
    "hub.pluses": {"en": "Pluses", "nl": "Plussen", "it": "Più", "cs": "Plusy"},
    "hub.decided-by": {"en": "Decided by", "nl": "Beslist door", "it": "Deciso da", "cs": "Rozhodlo"},
    "hub.step.games": {
        "en": "games played: {own} / {other}", "nl": "gespeelde partijen: {own} / {other}",
        "it": "partite giocate: {own} / {other}", "cs": "odehrané partie: {own} / {other}",
    },
    "hub.step.rank-points": {
        "en": "points: {own} / {other}", "nl": "punten: {own} / {other}", "it": "punti: {own} / {other}",
        "cs": "body: {own} / {other}",
    },
    "hub.step.rank-pluses": {
        "en": "pluses: {own} / {other}", "nl": "plussen: {own} / {other}", "it": "più: {own} / {other}",
        "cs": "plusy: {own} / {other}",
    },
    "hub.step.rank-ones": {
        "en": "first places: {own} / {other}", "nl": "enen: {own} / {other}", "it": "primi posti: {own} / {other}",
        "cs": "první místa: {own} / {other}",
    },
    "hub.step.rank-twos": {
        "en": "second places: {own} / {other}", "nl": "tweeën: {own} / {other}", "it": "secondi posti: {own} / {other}",
        "cs": "druhá místa: {own} / {other}",
    },
    "hub.step.rank-round": {
        "en": "latest result that differs: {own} / {other}", "nl": "laatste uitslag die verschilt: {own} / {other}",
        "it": "ultimo risultato diverso: {own} / {other}", "cs": "poslední odlišný výsledek: {own} / {other}",
    },
    "hub.step.rank-shared": {"en": "shared", "nl": "gedeeld", "it": "ex aequo", "cs": "děleno"},
    "hub.step.rank-first": {"en": "–", "nl": "–", "it": "–", "cs": "–"},
    "hub.step.won": {
        "en": "has won a table", "nl": "heeft een tafel gewonnen", "it": "ha vinto un tavolo", "cs": "vyhrál stůl",
    },
    "hub.step.rank-weight": {
        "en": "points of the places: {own} / {other}", "nl": "punten van de plaatsen: {own} / {other}",
        "it": "peso: {own} / {other}", "cs": "body za místa: {own} / {other}",
    },
    "hub.step.rank-score": {
        "en": "Score: {own} / {other}", "nl": "Score: {own} / {other}", "it": "Score: {own} / {other}",
        "cs": "Score: {own} / {other}",
    },
    "hub.won": {"en": "Won", "nl": "Gewonnen", "it": "Vinti", "cs": "Výhry"},
    "hub.score": {"en": "Score", "nl": "Score", "it": "Score", "cs": "Score"},
    "hub.changed": {
        "en": "changed after closing", "nl": "na het sluiten gewijzigd", "it": "cambiato dopo la chiusura",
        "cs": "změněno po uzavření",
    },
    "hub.goes-on.first_phase": {
        "en": "On from the first phase: {names}.", "nl": "Door uit de eerste fase: {names}.",
        "it": "Passano dalla prima fase: {names}.", "cs": "Z první fáze postupují: {names}.",
    },
    "hub.goes-on.second_phase": {
        "en": "On to the semi-final: {names}.", "nl": "Door naar de halve finale: {names}.",
        "it": "Passano alla semifinale: {names}.", "cs": "Do semifinále postupují: {names}.",
    },
    "hub.goes-on.semi_final": {
        "en": "On to the final: {names}.", "nl": "Door naar de finale: {names}.", "it": "Passano alla finale: {names}.",
        "cs": "Do finále postupují: {names}.",
    },
    "hub.goes-on.final": {
        "en": "Prizes: {names}.", "nl": "Prijzen: {names}.", "it": "Premiati: {names}.", "cs": "Ceny: {names}.",
    },
    "hub.goes-on.equal": {
        "en": "Equal, and not all of them can go on: {names}. The director rules.",
        "nl": "Gelijk, en niet allen kunnen door: {names}. De wedstrijdleider beslist.",
        "it": "Alla pari, e non tutti possono passare: {names}. Decide il direttore.",
        "cs": "Shodně, a všichni postoupit nemohou: {names}. Rozhodne ředitel.",
    },
    "hub.contradiction.score-missing": {
        "en": "{name}, round {round}, table {table}: result {result} came without a Score, so it can't be ranked.",
        "nl": "{name}, ronde {round}, tafel {table}: uitslag {result} kwam zonder Score en telt niet voor de stand.",
        "it": "{name}, turno {round}, tavolo {table}: risultato {result} senza Score, non entra in classifica.",
        "cs": "{name}, kolo {round}, stůl {table}: výsledek {result} přišel bez Score, nelze ho zařadit.",
    },
    "hub.missed": {"en": "missed", "nl": "gemist", "it": "assente", "cs": "chyběl"},
    "hub.contradiction.own-ruleset": {
        "en": "The tables play by {ruleset}, which this hub does not have; the ranking is made by {system} as shipped.",
        "nl": "De tafels spelen volgens {ruleset}, dat deze centrale niet heeft; de stand volgt het gewone {system}.",
        "it": "I tavoli giocano con {ruleset}, che questa centrale non ha; la classifica segue {system} di serie.",
        "cs": "Stoly hrají podle {ruleset}, která tato ústředna nemá; pořadí se řídí dodaným {system}.",
    },
    "hub.not-ranked": {
        "en": "The ranking of this system is not made here; the results are below.",
        "nl": "De rangschikking van dit systeem wordt hier niet gemaakt; de uitslagen staan hieronder.",
        "it": "La classifica di questo sistema non si fa qui; i risultati sono sotto.",
        "cs": "Pořadí tohoto systému se zde nesestavuje; výsledky jsou níže.",
    },
    "hub.no-results": {
        "en": "No table has been closed yet.", "nl": "Er is nog geen tafel afgesloten.",
        "it": "Nessun tavolo è ancora chiuso.", "cs": "Žádný stůl ještě není uzavřen.",
    },
    "hub.no-tables": {
        "en": "The hub was told of no table: start it with --table, or name the tables in hub.toml.",
        "nl": "De centrale kent nog geen tafel: start haar met --table, of noem de tafels in hub.toml.",
        "it": "La centrale non conosce tavoli: avviarla con --table o indicarli in hub.toml.",
        "cs": "Ústředna nezná žádný stůl: spusťte ji s --table nebo uveďte stoly v hub.toml.",
    },
    "hub.clock": {"en": "Clock", "nl": "Klok", "it": "Orologio", "cs": "Hodiny"},
    "hub.clock-paused": {"en": "paused", "nl": "gepauzeerd", "it": "in pausa", "cs": "pozastaveno"},
    "hub.clock-secret": {
        "en": "{time} played, end secret", "nl": "{time} gespeeld, einde geheim", "it": "{time} giocati, fine segreta",
        "cs": "odehráno {time}, konec tajný",
    },
    "hub.clock-old": {
        "en": "as last heard", "nl": "zoals laatst gehoord", "it": "all'ultimo contatto", "cs": "podle poslední zprávy",
    },
    "hub.clock-fast": {
        "en": "practice clock, {scale}×", "nl": "oefenklok, {scale}×", "it": "orologio di prova, {scale}×",
        "cs": "cvičné hodiny, {scale}×",
    },
    "hub.seal": {
        "en": "Seal of the length: {short}",
        "nl": "Zegel van de speelduur: {short}",
        "it": "Sigillo della durata: {short}",
        "cs": "Pečeť délky: {short}",
    },
    "hub.seal-lost": {
        "en": "The length can't be vouched for any more: the referee gives the signal",
        "nl": "De speelduur is niet meer te vertrouwen: de scheidsrechter geeft het signaal",
        "it": "La durata non è più affidabile: il segnale lo dà l'arbitro",
        "cs": "Za délku už nelze ručit: signál dá rozhodčí",
    },
    "hub.revealed": {
        "en": "Sealed were {minutes} minutes: sha256sum of «{text}» gives {short}…",
        "nl": "Verzegeld waren {minutes} minuten: sha256sum van «{text}» geeft {short}…",
        "it": "Erano sigillati {minutes} minuti: sha256sum di «{text}» dà {short}…",
        "cs": "Zapečetěno bylo {minutes} minut: sha256sum z «{text}» dá {short}…",
    },
    "hub.tijd": {"en": "TIJD", "nl": "TIJD", "it": "TEMPO", "cs": "ČAS"},
    "hub.last-throw": {"en": "Last throw", "nl": "Laatste worp", "it": "Ultimo lancio", "cs": "Poslední hod"},
    "hub.no-throw": {"en": "none yet", "nl": "nog geen", "it": "ancora nessuno", "cs": "zatím žádný"},
    "hub.throw-rolling": {"en": "dice lie", "nl": "de stenen liggen", "it": "dadi fermi", "cs": "kostky leží"},
    "hub.throw-annulled": {"en": "annulled", "nl": "vervallen", "it": "annullato", "cs": "zrušeno"},
    "hub.throw-void": {"en": "nothing counts", "nl": "niets telt", "it": "niente vale", "cs": "nic neplatí"},
    "hub.throw-referee": {"en": "referee", "nl": "spelleider", "it": "arbitro", "cs": "rozhodčí"},
    "hub.throws": {"en": "throws: {count}", "nl": "worpen: {count}", "it": "lanci: {count}", "cs": "hodů: {count}"},
    "hub.last-event": {"en": "last event", "nl": "laatste feit", "it": "ultimo evento", "cs": "poslední událost"},
    "hub.last-contact": {"en": "last heard", "nl": "laatst gehoord", "it": "ultimo contatto", "cs": "poslední spojení"},
    "hub.never": {"en": "never", "nl": "nooit", "it": "mai", "cs": "nikdy"},
    "hub.ago-s": {"en": "{n} s ago", "nl": "{n} s geleden", "it": "{n} s fa", "cs": "před {n} s"},
    "hub.ago-min": {"en": "{n} min ago", "nl": "{n} min geleden", "it": "{n} min fa", "cs": "před {n} min"},
    "hub.ago-h": {"en": "{n} h ago", "nl": "{n} u geleden", "it": "{n} h fa", "cs": "před {n} h"},
    "hub.referee-called": {
        "en": "The referee is called", "nl": "De spelleider is geroepen", "it": "L'arbitro è chiamato",
        "cs": "Volají rozhodčího",
    },
    "hub.disputed": {
        "en": "{name} disputes the result: {reason}", "nl": "{name} betwist de uitslag: {reason}",
        "it": "{name} contesta il risultato: {reason}", "cs": "{name} nesouhlasí s výsledkem: {reason}",
    },
    "hub.unresolved": {
        "en": "The rules cannot separate {names}: the referee decides.",
        "nl": "De regels kunnen {names} niet scheiden: de spelleider beslist.",
        "it": "Le regole non separano {names}: decide l'arbitro.",
        "cs": "Pravidla nerozliší hráče {names}: rozhodne rozhodčí.",
    },
    "hub.signed": {"en": "signed", "nl": "getekend", "it": "firmato", "cs": "podepsáno"},
    "hub.ruled": {
        "en": "set by the referee", "nl": "vastgesteld door de spelleider", "it": "stabilito dall'arbitro",
        "cs": "určil rozhodčí",
    },
    "hub.not-counted": {
        "en": "does not count until settled", "nl": "telt niet tot het is opgelost",
        "it": "non vale finché non è risolto", "cs": "neplatí, dokud se to nevyřeší",
    },
    "hub.trouble": {"en": "No connection", "nl": "Geen verbinding", "it": "Nessun collegamento", "cs": "Bez spojení"},
    "hub.trouble.unreachable": {
        "en": "Does not answer: is it on, and on the network?",
        "nl": "Antwoordt niet: staat de tafel aan, en hangt zij aan het net?",
        "it": "Non risponde: è acceso e in rete?", "cs": "Neodpovídá: je zapnutý a připojený k síti?",
    },
    "hub.trouble.not-a-table": {
        "en": "Something answers there, but not a table of this version.",
        "nl": "Daar antwoordt iets, maar geen tafel van deze versie.",
        "it": "Risponde qualcosa, ma non un tavolo di questa versione.",
        "cs": "Něco odpovídá, ale není to stůl této verze.",
    },
    "hub.trouble.table-id-twice": {
        "en": "{address} and {other} both call themselves table {table}: name each once, with an id of its own.",
        "nl": "{address} en {other} noemen zich allebei tafel {table}: noem elk één keer, met een eigen id.",
        "it": "{address} e {other} si chiamano entrambi tavolo {table}: indicarli una volta sola, con id diversi.",
        "cs": "{address} i {other} se hlásí jako stůl {table}: uveďte každý jednou a s vlastním id.",
    },
    "hub.trouble.chain-broken": {
        "en": "Record {seq} does not hold and was not taken in: verify this table's journal.",
        "nl": "Regel {seq} klopt niet en is niet overgenomen: controleer het logboek van deze tafel.",
        "it": "Il record {seq} non regge e non è stato preso: verificare il registro di questo tavolo.",
        "cs": "Záznam {seq} nesouhlasí a nebyl převzat: ověřte deník tohoto stolu.",
    },
    "hub.trouble.strange-record": {
        "en": "Sent something that is no record: update the older of the two programs.",
        "nl": "Stuurde iets dat geen regel is: werk het oudste van de twee programma's bij.",
        "it": "Ha inviato qualcosa che non è un record: aggiornare il programma più vecchio.",
        "cs": "Poslal něco, co není záznam: aktualizujte starší z obou programů.",
    },
    "hub.trouble.journal-empty": {
        "en": "Its journal is empty, though records were collected before.",
        "nl": "Zijn logboek is leeg, hoewel er al regels waren opgehaald.",
        "it": "Il suo registro è vuoto, benché prima ne siano stati raccolti i record.",
        "cs": "Jeho deník je prázdný, ačkoli se z něj dříve sbíraly záznamy.",
    },
    "hub.trouble.too-many-chapters": {
        "en": "Has changed its past too often: nothing more is collected from it.",
        "nl": "Heeft te vaak een ander verleden gekregen: er wordt niets meer opgehaald.",
        "it": "Ha cambiato passato troppe volte: non si raccoglie più nulla.",
        "cs": "Příliš často změnil minulost: už se z něj nic nesbírá.",
    },
    "hub.trouble.ledger-unusable": {
        "en": "The hub's own store cannot be written: check the disk of this machine.",
        "nl": "De opslag van de centrale is niet te beschrijven: controleer de schijf van deze machine.",
        "it": "L'archivio della centrale non è scrivibile: controllare il disco di questa macchina.",
        "cs": "Do úložiště ústředny nelze zapisovat: zkontrolujte disk tohoto stroje.",
    },
    "hub.trouble.ledger-clash": {
        "en": "Another hub writes the same store: asking again.",
        "nl": "Een andere centrale schrijft in dezelfde opslag: er wordt opnieuw gevraagd.",
        "it": "Un'altra centrale scrive nello stesso archivio: si richiede di nuovo.",
        "cs": "Do stejného úložiště píše jiná ústředna: zkouší se znovu.",
    },
    "hub.trouble.hall-waits": {
        "en": "Out of step with its hall: {what} has not reached it yet.",
        "nl": "Loopt niet gelijk met de zaal: {what} heeft deze tafel nog niet bereikt.",
        "it": "Non va di pari passo con la sala: {what} non l'ha ancora raggiunto.",
        "cs": "Nejde stejně se sálem: {what} k němu ještě nedošlo.",
    },
    "hub.trouble.hall-late": {
        "en": "Out of step with its hall: {what} reached it later than the others.",
        "nl": "Loopt niet gelijk met de zaal: {what} kwam hier later aan dan bij de andere.",
        "it": "Non va di pari passo con la sala: {what} è arrivato qui più tardi che agli altri.",
        "cs": "Nejde stejně se sálem: {what} sem došlo později než k ostatním.",
    },
    "hub.trouble.hall-refused": {
        "en": "Did not do what its hall does ({what}): {why}",
        "nl": "Deed niet wat de zaal doet ({what}): {why}",
        "it": "Non ha fatto ciò che fa la sala ({what}): {why}",
        "cs": "Neudělal, co dělá sál ({what}): {why}",
    },
    "hub.trouble.hall-unproved": {
        "en": "Its key has not yet said that it plays no more: the length waits.",
        "nl": "Haar sleutel heeft nog niet gezegd dat zij niet meer speelt: de speelduur wacht.",
        "it": "La sua chiave non ha ancora detto che non gioca più: la durata aspetta.",
        "cs": "Jeho klíč ještě neřekl, že už nehraje: délka čeká.",
    },
    "hub.trouble.hall-length-missing": {
        "en": "The hub has lost the hall's length: the director gives the signal.",
        "nl": "De centrale is de speelduur van de zaal kwijt: de toernooileider geeft het signaal.",
        "it": "La centrale ha perso la durata della sala: il segnale lo dà il direttore.",
        "cs": "Ústředna ztratila délku sálu: signál dá ředitel.",
    },
    "hub.trouble.hall-length-altered": {
        "en": "The hall's length at the hub was changed: the director gives the signal.",
        "nl": "De speelduur van de zaal is bij de centrale veranderd: de toernooileider geeft het signaal.",
        "it": "La durata della sala è stata alterata alla centrale: il segnale lo dà il direttore.",
        "cs": "Délka sálu byla v ústředně změněna: signál dá ředitel.",
    },
    "hub.trouble.hall-length-exposed": {
        "en": "Others could read the hall's length at the hub: the director gives the signal.",
        "nl": "Anderen konden de speelduur van de zaal bij de centrale lezen: de toernooileider geeft het signaal.",
        "it": "Altri potevano leggere la durata della sala alla centrale: il segnale lo dà il direttore.",
        "cs": "Délku sálu v ústředně mohli číst jiní: signál dá ředitel.",
    },
    "hub.chapter.restarted": {
        "en": "This table began a new journal at {wall}. What was collected before is kept beside it.",
        "nl": "Deze tafel is om {wall} met een nieuw logboek begonnen. Wat er al was, staat ernaast bewaard.",
        "it": "Questo tavolo ha iniziato un nuovo registro alle {wall}. Quanto raccolto prima è conservato a parte.",
        "cs": "Tento stůl začal v {wall} nový deník. Co bylo sebráno dříve, zůstává vedle něj.",
    },
    "hub.chapter.forked": {
        "en": "This table went back to an older copy of its journal ({wall}). Both are kept; compare its last games.",
        "nl": "Deze tafel ging terug naar een oudere kopie van het logboek ({wall}). Beide zijn bewaard; vergelijk de "
        "laatste partijen.",
        "it": "Questo tavolo è tornato a una copia più vecchia del registro ({wall}). Entrambe sono conservate; "
        "confrontare le ultime partite.",
        "cs": "Tento stůl se vrátil ke starší kopii deníku ({wall}). Obě zůstávají; porovnejte poslední partie.",
    },
    "hub.oddities": {
        "en": "{count} records could not be understood; the newest is {seq} ({type}).",
        "nl": "{count} regels waren niet te begrijpen; de nieuwste is {seq} ({type}).",
        "it": "{count} record non comprensibili; l'ultimo è {seq} ({type}).",
        "cs": "Nesrozumitelných záznamů: {count}; poslední je {seq} ({type}).",
    },
    "hub.unknown": {
        "en": "{count} records are of a newer version than this hub.",
        "nl": "{count} regels zijn van een nieuwere versie dan deze centrale.",
        "it": "{count} record sono di una versione più recente di questa centrale.",
        "cs": "Záznamů novější verze, než je tato ústředna: {count}.",
    },
    "hub.contradiction.closed-twice": {
        "en": "Table {table}, round {round}: game {game} was closed twice with different results. Neither counts.",
        "nl": "Tafel {table}, ronde {round}: partij {game} is twee keer afgesloten, met verschillende uitslagen. "
        "Geen van beide telt.",
        "it": "Tavolo {table}, turno {round}: la partita {game} è stata chiusa due volte con risultati diversi. "
        "Nessuno vale.",
        "cs": "Stůl {table}, kolo {round}: partie {game} byla uzavřena dvakrát s různými výsledky. Neplatí žádný.",
    },
    "hub.contradiction.twice-in-round": {
        "en": "{name} has two results in round {round} (tables {tables}). Neither counts: is it one person?",
        "nl": "{name} heeft twee uitslagen in ronde {round} (tafels {tables}). Geen van beide telt: "
        "is het één persoon?",
        "it": "{name} ha due risultati nel turno {round} (tavoli {tables}). Nessuno vale: è la stessa persona?",
        "cs": "{name} má v kole {round} dva výsledky (stoly {tables}). Neplatí žádný: je to jedna osoba?",
    },
    "hub.contradiction.strange-result": {
        "en": "{name}, round {round}, table {table}: {result} is no result of this system.",
        "nl": "{name}, ronde {round}, tafel {table}: {result} is geen uitslag van dit systeem.",
        "it": "{name}, turno {round}, tavolo {table}: {result} non è un risultato di questo sistema.",
        "cs": "{name}, kolo {round}, stůl {table}: {result} není výsledek tohoto systému.",
    },
    "hub.rulesets": {
        "en": "Tables play by different rulesets: {names}",
        "nl": "Tafels spelen met verschillende reglementen: {names}",
        "it": "I tavoli giocano con regolamenti diversi: {names}", "cs": "Stoly hrají podle různých pravidel: {names}",
    },
    "hub.lost": {
        "en": "This page has lost the hub. What you see is old.",
        "nl": "Deze pagina is de centrale kwijt. Wat u ziet is oud.",
        "it": "Questa pagina ha perso la centrale. Quello che si vede è vecchio.",
        "cs": "Tato stránka ztratila ústřednu. Co vidíte, je staré.",
    },
    "hub.export": {"en": "Download", "nl": "Downloaden", "it": "Scarica", "cs": "Stáhnout"},
    "hub.result": {"en": "Result", "nl": "Uitslag", "it": "Risultato", "cs": "Výsledek"},
    "hub.closed-at": {"en": "Closed", "nl": "Afgesloten", "it": "Chiuso", "cs": "Uzavřeno"},
    "hub.in-progress": {
        "en": "{count} of {all} tables closed", "nl": "{count} van {all} tafels afgesloten",
        "it": "{count} tavoli su {all} chiusi", "cs": "uzavřeno {count} z {all} stolů",
    },
    "hub.dispute.title": {
        "en": "Table {table}: throw {throw} is disputed", "nl": "Tafel {table}: worp {throw} wordt betwist",
        "it": "Tavolo {table}: il lancio {throw} è contestato", "cs": "Stůl {table}: hod {throw} je zpochybněn",
    },
    "hub.dispute.open": {
        "en": "Throw {throw} is disputed by {names}: look", "nl": "Worp {throw} wordt betwist door {names}: bekijk",
        "it": "Il lancio {throw} è contestato da {names}: guarda",
        "cs": "Hod {throw} zpochybňuje {names}: podívejte se",
    },
    "hub.dispute.by": {
        "en": "Disputed by {names}.", "nl": "Betwist door {names}.", "it": "Contestato da {names}.",
        "cs": "Zpochybňuje {names}.",
    },
    "hub.dispute.settled": {
        "en": "Over: {reason}.", "nl": "Afgelopen: {reason}.", "it": "Chiusa: {reason}.", "cs": "Ukončeno: {reason}.",
    },
    "hub.dispute.first": {
        "en": "Read at the table", "nl": "Aan tafel gelezen", "it": "Letto al tavolo", "cs": "Přečteno u stolu",
    },
    "hub.dispute.again": {
        "en": "Read again", "nl": "Opnieuw gelezen", "it": "Riletto", "cs": "Přečteno znovu",
    },
    "hub.dispute.same": {
        "en": "Both readings are the same.", "nl": "Beide keren hetzelfde gelezen.",
        "it": "Le due letture sono uguali.", "cs": "Obě čtení jsou stejná.",
    },
    "hub.dispute.differs": {
        "en": "The readings DIFFER.", "nl": "De lezingen VERSCHILLEN.", "it": "Le letture sono DIVERSE.",
        "cs": "Čtení se LIŠÍ.",
    },
    "hub.dispute.unread": {
        "en": "Not read again yet.", "nl": "Nog niet opnieuw gelezen.", "it": "Non ancora riletto.",
        "cs": "Ještě nebylo přečteno znovu.",
    },
    "hub.dispute.none": {
        "en": "No picture of this throw was kept.", "nl": "Van deze worp is geen beeld bewaard.",
        "it": "Di questo lancio non è stata conservata nessuna immagine.",
        "cs": "Z tohoto hodu nebyl uložen žádný snímek.",
    },
    "hub.dispute.missing": {
        "en": "{count} of {all} pictures are not here yet.", "nl": "{count} van {all} beelden zijn nog niet hier.",
        "it": "{count} immagini su {all} non sono ancora qui.", "cs": "{count} z {all} snímků tu ještě není.",
    },
    "hub.dispute.sheet": {
        "en": "From above, marked", "nl": "Van boven, gemerkt", "it": "Dall’alto, segnata", "cs": "Shora, označeno",
    },
    "hub.dispute.frame": {
        "en": "As the camera saw it", "nl": "Zoals de camera het zag", "it": "Come l’ha visto la camera",
        "cs": "Jak to viděla kamera",
    },
    "hub.dispute.film": {"en": "The roll", "nl": "Het rollen", "it": "Il lancio", "cs": "Hod"},
    "hub.dispute.back": {"en": "All tables", "nl": "Alle tafels", "it": "Tutti i tavoli", "cs": "Všechny stoly"},
}  # fmt: skip
"""Key to sentence by language."""
