"""Words by which a clause is known to state something lasting, and those by which it is known not to."""

import re


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


ASKS = _any(
    r"[?？]\s*$",
    r"^(?:and |so |but |ok |okay |please |then |now |hmm,? )*(?:what|whats|why|how|hows|which|who|whose|where|"
    r"when|is|"
    r"are|was|were|does|do|did|can|could|would|should|will|has|have|any|anything|show|give|list|find|compare|explain|"
    r"tell|"
    r"draw|zoom|open|look|check|help|go|summari[sz]e|describe|highlight|filter|focus|ignore|break|count|name|"
    r"rank|sort|"
    r"export|render|plot|top|lets|let|maybe|perhaps|group|split|hide|add|remove|use|try|condense|sum|wrap|boil|fass|"
    r"fasse|résume|resume|trace back|"
    r"was|wie|warum|wer|wo|woran|welche\w*|zeig\w*|pourquoi|quel\w*|qui|où|comment|montre\w*|qué|cuál\w*|quién|dónde|"
    r"cómo|por qué|muestra\w*|почему|что|где|как|кто|какой|какая|какие|покажи)(?!\w)",
    r"^[¿]",
    r"\b(?:what|why|how|wtf|quoi|pourquoi|qué|warum|wieso|weshalb|perché|почему)(?!\w)",
    r"\b(?:combien|cuánt\w+|wie ?viele?|quanto|quanti|quante|сколько)(?!\w)",
    r"(?:ですか|ますか|吗|呢|什么|为什么|多少|几个|いくつ|どれ)",
)

LEADS = re.compile(
    r"^(?:(?:and|so|but|also|now|note that|please note that|mind that|since|because|given that|as|by the way|btw|fyi|"
    r"heads[- ]up|context|background|in case it matters|just so you know|for context|übrigens|au fait|por cierto|"
    r"кстати)(?:\s*[,:–—-]\s*|\s+))+",
    re.IGNORECASE,
)
TAIL = re.compile(r",?\s+(?:so|and so|also)$|[.!…。！]+$", re.IGNORECASE)

OURS_ELSEWHERE = _any(
    r"(?<!\w)(?:wir|unser\w*|nous|notre|nos|nosotros|nuestr\w+|usamos|usiamo|abbiamo|utilizamos|tenemos|nosso|nossa|"
    r"мы|нас|наш\w*|noi|nostr\w+|wij|ons|onze)"
    r"(?!\w)",
    r"(?<!\w)on (?:utilise|tourne|déploie|livre|vise|cible|compile|garde)(?!\w)",
    "私たち|当社|我们|弊社|うち(?:の|は|では)",
)
"""In other languages than English, where it decides alone."""

OURS = _any(
    r"\bwe(?:'re|'ve)? (?!re\b)\w+",
    r"\bi (?:work on|own|maintain|am responsible|only|always|never)\b",
    r"\b(?:our|ours|us|my team|my company)\b",
)
HAS_VERB = _any(
    r"\bwe(?:'re|'ve)? \w+",
    r"\bi (?:work|own|maintain|am|only|always|never)\b",
    r"\b(?:is|are|isn'?t|aren'?t|has|have|must|may|can|can'?t|cannot|never|always|don'?t|doesn'?t|says?|means?|"
    r"goes|go|lives?|runs?|uses?|comes?|ships?|deploys?|targets?|needs?|allows?|requires?|depends?|keeps?|"
    r"sits?|stays?|"
    r"handles?|serves?|expects?|talks?|speaks?|starts?|stops?|owns|counts?|costs?|sees?|takes?|works?|"
    r"supports?|gets?|"
    r"runs?)\b",
)

FIGURE = re.compile(r"\d|\b(?:two|three|four|five|ten|half) \w+", re.IGNORECASE)
RULE = _any(
    r"\b(?:limit|limits|budget|budgets|sla|slo|deadline|target|targets|quota|ceiling|must|at most|no more than|"
    r"not (?:be )?(?:more|longer) than|ha(?:s|ve) to|needs? to (?:be|stay|finish)|is capped|are capped|limited to|"
    r"allowed|never (?:be |take )?(?:longer|more) than|gives? up|give up|"
    r"times? out|timeout|may (?:not|never)|grenze|obergrenze|höchstens|maximal|muss|müssen|darf|dürfen|non deve|deve|"
    r"massimo|limite|maximum|au plus|doit|"
    r"límite|presupuesto|máximo|como máximo|debe|limiet|предел|лимит|не более|не должн\w+)(?!\w)",
    "上限|限制|以内|以下|不得超过|不能超过",
)
BOUND = re.compile(
    r"\b(?:over|for more than|after|above|beyond|longer than|more than|slower than|under|below|within|up to)\s+(?:a |"
    r"the )?[\d.]+",
    re.IGNORECASE,
)
FOLLOWS = re.compile(
    r"\b(?:(?:is|are|gets?|be) (?:\w+ly )?(?:dropped|killed|rejected|refused|cancelled|canceled|too (?:long|"
    r"slow|late|"
    r"much|"
    r"big)|unacceptable|acceptable|fine|ok|okay|a bug|a failure|logged|evicted|restarted|reported|considered)|"
    r"gets? the|"
    r"kills?|fails?|notices?|counts? as|pages? us|wakes?|triggers?|breaks the)\b",
    re.IGNORECASE,
)
OWNER = _any(
    r"\b(?:owned by|maintained by|belongs? to|owns|responsible for|in charge of|looks after|take care of|"
    r"takes care of|"
    r"handed over to|not (?:ours|mine)|"
    r"(?:team|group|office|department|people|crew|equipo|équipe|abteilung)\b[^.]{0,24}\b(?:maintains?|"
    r"looks? after|lleva|"
    r"gère|pflegt)|gehört|gehören|zuständig|verantwortlich|betreut|appartien\w+|s'occupe|maintient|"
    r"pertenece\w*|mantiene|appartiene|отвечает|принадлежит)(?!\w)",
    "负责|归.{1,12}所有|担当",
)
NOISE = re.compile(
    r"\b(?:is|are) (?:only |just |all )?(?:a |an )?(?:third[- ]party|generated|auto-?generated|vendored|legacy|"
    r"deprecated|"
    r"experimental|dead code|noise|boilerplate|test[- ]only|not ours|not mine|frozen|disabled|enabled|switched off|"
    r"turned off|out of scope|read[- ]only|being replaced|going away|only called once)\b",
    re.IGNORECASE,
)
NAMING = re.compile(
    r"\b(?:(?:is|are) (?:called|known as|named)\b.*\b(?:internally|by us|here at)|stands for|is our (?:word|"
    r"name) for|"
    r"is short for|baseline is)\b",
    re.IGNORECASE,
)
HABIT = re.compile(
    r"\b(?:(?:nightly|daily|weekly|hourly|monthly) (?:jobs?|batch\w*|runs?|builds?|import\w*|reports?)|"
    r"(?:deploys?|deployments?|releases?|builds?|restarts?|backups?|jobs?|batch\w*|traffic|imports?|cli|load|"
    r"requests|"
    r"messages)\b.*\b(?:always|never|every \w+|nightly|daily|weekly|hourly|(?:once|twice|\w+ times) (?:a|an|per) \w+|"
    r"a (?:day|week|month)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|ten times|at \d\d?(?::\d\d)?(?: ?[ap]m|"
    r" utc)?\b(?!\.\d| ?m?s\b))|"
    r"from now on)",
    re.IGNORECASE,
)
MADE_WITH = re.compile(
    r"\b(?:(?:re)?written in|rewritten|implemented in|built (?:with|on|for)|compiled (?:with|for)|ported to|"
    r"runs? on(?! (?:the|a|an|its|one|another|thread)\b)|"
    r"runs? (?:under|behind|inside|in)|deployed (?:on|to|in)|hosted (?:on|in|by)|(?:stuck |pinned )(?:on|to)|"
    r"lives in|"
    r"goes through)\b",
    re.IGNORECASE,
)
PLACE = _any(
    r"\b(?:in|on) (?:production|prod|staging|ci|our \w+)\b",
    r"\b(?:in produktion|en production|en producción|in produzione|in productie|в продакшене|на проде)(?!\w)",
    "生产环境|线上|本番",
)

TROUBLE = _any(
    r"\b(?:slow(?!\s+as\b)|slower|slowly|slowness|faster|problem|problems|issue|issues|wrong|weird|strange|"
    r"odd|broken|"
    r"bug|"
    r"bugs|leak|leaks|spike|spikes|hang|hangs|hanging|freezes?|stutters?|worse|better|regress\w*|crash\w*|"
    r"seems?|seem|"
    r"look(?:s|ed)? (?:like|as|odd|bad|fine|good)|complain\w*|trouble|bottleneck|suspicious|expensive|"
    r"run(?:s|ning)? out|"
    r"langsam\w*|problem\w*|fehler|spitze|lent|lente|problème|pic|lento|lenta|problema|pico|picco|медленно|проблема|"
    r"пик)(?!\w)",
    "慢|遅い|問題|问题",
)
PAST = _any(
    r"\b(?:we|i) (?:just |recently |also )?(?:saw|got|had|changed|tried|ran|noticed|measured|deployed|recorded|"
    r"upgraded|"
    r"added|fixed|found|made|did|were|was|looked|thought|expected|improved|optimi[sz]ed|released|shipped|merged|"
    r"profiled|took|lost|gained|spent|started|began|reverted|removed)\b",
    r"\b(?:went|got|became|grew|rose|dropped|increased|jumped|doubled|regressed) (?:up|down|by|from|to|since|"
    r"after|\d|"
    r"slower|worse)",
    r"\bsince (?:the|last|this|yesterday|version|release|we)\b",
)
STATE_CHANGE = re.compile(
    r"\bwe(?:'ve| have)? (?:just |recently )?(?:moved|migrated|switched|banned|dropped|replaced|adopted|"
    r"standardi[sz]ed)\b",
    re.IGNORECASE,
)
WISHES = re.compile(
    r"\b(?:we're|we are|i'm|i am) (?!running|using|deploying|targeting|supporting|limited|pinned|stuck)\w+ing\b|"
    r"\b(?:we|i)(?:'re| are|'d| am|'m|'ve| have)? (?:only |just )?(?:want|need|would|like to|hope|wonder|"
    r"wondering|should|could|see|think|believe|"
    r"suspect|guess|assume|assuming|trying|looking|investigating|debugging|hoping|know|don'?t (?:know|understand|see|"
    r"get)|"
    r"(?:have |'ve )?been (?:\w+ing|at|on|over|through)|can see|"
    r"(?:can'?t|cannot|could not) (?:reproduce|see|tell|find|understand|explain)|"
    r"cannot (?:see|tell|find)|seeing|having|getting|about to|going to|have to "
    r"(?:make|find|fix|speed|reduce|improve))\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\b(?:takes?|took|spends?|spent|lasts?|lasted|costs|(?:we|i|it)(?:'re|'m|'s| are| am|"
    r" is) at)\s+(?:about |around |"
    r"roughly |~|over |more than |only |at least )*[\d.]+|"
    r"\b(?:at|from|until|bei|ab|à|dès|a los|desde|alle|em|на)\s+[\d.,]+ ?(?:ms|µs|s|sec(?:onds?)?)\b",
    re.IGNORECASE,
)
"""What something took, and when in the recording something happened."""
ABOUT_HERE = re.compile(
    r"\b(?:this (?:trace|file|recording|profile|run|time|picture|function|call|one|answer|chart|graph|thread)|here|"
    r"(?:trace|recording|profile|picture|chart|graph|table|file) (?:shows?|says|has|had)|"
    r"(?:above|below)$|(?:shown|seen|see|the one|picture|chart|row|table|listed) (?:above|below)|"
    r"that (?:function|call|answer|thread|one)|you (?:said|told|wrote|mean|show)|your (?:answer|last)|today|"
    r"yesterday|"
    r"just now|right now|currently looking|at the moment|(?:when|whenever|if|once|as soon as|every time) i|"
    r"there must be|(?:it|that|this) must (?:be (?:the|an?|because|that|due)|have)|(?:call|invoke|run|do|"
    r"use)s? (?:it|this|that|them) (?:only |just )?(?:once|twice|\d+|a few|several)|"
    r"i (?:have |'ve )?(?:never|always) (?:understood|understand|knew|know|saw|seen|see|heard|hear|thought|"
    r"think|found|find|"
    r"liked?|got|get|end|wondered|forget)|"
    r"hier|ici|aquí|aqui|acá|qui|здесь|тут|gestern|heute|aujourd'hui|ayer|hoy|ontem|hoje|ieri|oggi|вчера|сегодня|"
    r"nous avons (?:\w+ )?\w+[éiu]s?\b(?! \w+ (?:ms|s|MB|GB))|wir haben\b.*\bge\w+(?:t|en)$|hemos \w+do|"
    r"abbiamo \w+to|"
    r"i (?:see|think|guess|wonder|want|need|would|expected|thought|"
    r"don'?t (?:see|understand|think|know|get)))\b",
    re.IGNORECASE,
)
SQL = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE)

TO_A_MACHINE = _any(
    r"\b(?:remember(?! (?:it|this|that)\W*$)|memori[sz]e|(?:keep|bear) in mind|core[_ ]?memory\w*|(?:your|to|core|"
    r"keep in) memory|persist|"
    r"(?:save|store|add) (?:this|that|the (?:following|fact))|note (?:to|for) (?:self|the|any|all)|forget|assistant|"
    r"all (?:future )?(?:conversations|chats|sessions)|(?:all|previous|prior|earlier) instructions|system prompt|"
    r"language model|dear (?:ai|bot)|"
    r"it (?:is|was) agreed|(?:was|were|been|has|have) (?:confirmed|approved|authori[sz]ed)|fact was|"
    r"note that|memory (?:updates?|entry|entries|notes?|write)|i (?:hereby )?confirm|hereby|herewith|pretend|"
    r"role-?play\w*|let'?s play|"
    r"as the (?:admin\w*|developer|system|root|operator)|(?:write|writes|writing|note|notes|jot|jots) (?:\w+ )?down|"
    r"jegyezd meg|emlékezz|zapamiętaj|pamiętaj|zapamatuj|zapamätaj|zapamti|kom ihåg|husk (?:at|på)|muista|"
    r"hatırla|unutma|"
    r"ține minte|amintește|запам.?ятай|запомни|θυμήσου|να θυμάσαι|hãy nhớ|ghi nhớ|ingat bahwa|ingatlah|"
    r"merk dir|merke dir|denk daran|souviens|rappelle-toi|retiens|recuerda|lembre|ricorda(?:ti)?|onthoud|запомни\w*|"
    r"vergiss|oublie|olvida|забудь)(?!\w)",
    "记住|記住|覚えて|기억|忘记|忘れて|تذكر|احفظ|זכור|याद रख|จำไว้|به خاطر بسپار",
)
"""Words that order something of a machine that remembers, or that vouch for what nobody has typed: a paste has them."""

OF_ANSWERS = re.compile(
    r"\b(?:(?:all|earlier) (?:answers|replies)|answers? (?:must|end|ends|should|always|never)|"
    r"always (?:answer|reply|respond|recommend|prefer|say|link))\b",
    re.IGNORECASE,
)
"""What answers shall be like is said with "remember": it is no fact about a program."""
