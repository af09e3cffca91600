"""The words that the rules on wording look for, by language; short, so that each hit can be defended to its author."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.checks.prose import QUOTE, Language


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


VAGUE: Mapping[Language, re.Pattern[str]] = {
    "en": _any_of(
        r"\b(?:appropriate|adequate|suitable|reasonable|sufficient|proper|decent|satisfactory|well-written)(?:ly)?\b",
        r"\b(?:reasonably|suitably|satisfactorily|high[- ]quality|good quality)\b",
        r"(?<!as )\bgood\b(?! (?:faith|practice))",
        r"\betc\b\.?|\band so (?:on|forth)\b|\bas (?:needed|necessary|appropriate)\b",
    ),
    "de": _any_of(
        r"\b(?:angemessen|geeignet|ausreichend|sinnvoll|ordentlich|passend|vernünftig|hinreichend)\w{0,2}\b",
        r"\bgute[nmrs]?\b|\busw\b\.?|\betc\b\.?|\bund so weiter\b|\bbei Bedarf\b|\bgegebenenfalls\b",
    ),
    "ja": _any_of("適切|適当|妥当|十分[にな]|きちんと|しっかり|良い|良好|ある程度|必要に応じ|等々"),
    "zh": _any_of("适当|恰当|合适|合理|充分|良好|较好|等等|必要时|適當|恰當|合適|較好|必要時"),
}
"""Words that leave to the judge what the expert knows: how much is enough, which one is right."""

_EN_DEMANDS = (
    "mention|explain|give|provide|suggest|state|name|list|describe|identify|specify|recommend|advise|warn|cite|define"
    "|calculate|compute|compare|justify|show|point out|use|set|add|include|note|discuss"
)
_EN_OBJECT = rf"(?:the|an?|that|why|how|what|which|when|at|its|their|one|two|three|any|all|both|each|\d|{QUOTE})"
_DE_DEMANDS = r"(?:nenn|erklär|erläuter|beschreib|begründe|erwähn|empfiehl|empfehl|gib|geb|zeig|vergleich)\w*"
_JA_DEMAND = "(?:説明|言及|指摘|提案|記述|提示|述べ|挙げ|示)"
_ZH_DEMAND = "(?:说明|解释|给出|指出|提到|提供|列出|描述|建议|說明|解釋|給出|提供|列出|描述|建議)"

TWO_DEMANDS: Mapping[Language, re.Pattern[str]] = {
    "en": _any_of(
        rf"\b(?:{_EN_DEMANDS})(?:s|es)?\b.*\band (?:also |then )?(?:{_EN_DEMANDS})(?:s|es)? (?={_EN_OBJECT})",
        r"\bthe [\w ]+ (?:is|are) [^.;\n]*\band (?:the|its) [\w ]+ (?:is|are)\b",
    ),
    "de": _any_of(
        rf"\b{_DE_DEMANDS}\b.*\bund (?:auch )?{_DE_DEMANDS}\b", rf"\bund .*\b{_DE_DEMANDS}\b.*\bund {_DE_DEMANDS}\b"
    ),
    "ja": _any_of(rf"{_JA_DEMAND}.*(?:かつ|さらに|また、|とともに).*{_JA_DEMAND}"),
    "zh": _any_of(rf"{_ZH_DEMAND}.*(?:并且?|且|同时|並且?|同時){_ZH_DEMAND}"),
}
"""One criterion that asks for two things, each of which an answer may have without the other."""

NEGATED: Mapping[Language, re.Pattern[str]] = {
    "en": _any_of(
        r"^(?:(?:the |an? )?(?:answer|response|reply|model|output)s? |it )?"
        r"(?:does not|doesn't|does n't|doesn’t|do not|don't|don’t|must not|mustn't|should not|shouldn't|shouldn’t"
        r"|may not|cannot|never|fails? to|is not|isn't|isn’t|has no|contains no|no mention|not)\b"
    ),
    "de": _any_of(
        r"^(?:(?:die|eine) antwort |sie |es )?(?:\w+ ){0,4}(?:nicht|niemals|kein(?:e[nmrs]?)?)\b(?!.*\bsondern\b)"
    ),
    "ja": _any_of(
        "(?:しない|していない|されていない|ていない|べきでない|てはいけない|てはならない|がない)(?:こと)?[。.]?$"
    ),
    "zh": _any_of("^(?:回答|答案|答复|回复|答覆)?(?:中)?(?:不|没有|未|沒有|避免)"),
}
"""A criterion that is met by what an answer does not say."""

ELSEWHERE: Mapping[Language, re.Pattern[str]] = {
    "en": _any_of(
        r"\b(?:see|as) (?:(?:stated|described|mentioned|given|noted|listed) )?(?:above|below)\b",
        r"\bsame (?:as|like) (?:above|below|before"
        r"|(?:in |for )?(?:item|criterion|question|row|level|id|no\.?)? ?[(#]?\d"
        r"|the (?:previous|other|first|last|above))",
        r"\b(?:as|like) (?:in|for|with) (?:\(\d|(?:item|criterion|question|row|level|id) ?[(#]?\d"
        r"|the (?:previous|first|last|above) (?:item|criterion|question|row|level))",
        r"\b(?:see|cf\.?|refer to) (?:the )?(?:item|criterion|criteria|question|row|level|point|no\.?|\() ?[(#]?\d",
        r"\b(?:previous|preceding|above-?mentioned|aforementioned) "
        r"(?:item|criterion|question|row|level|point|answer)s?\b",
        r"^\W*(?:ditto|idem|same|same as above)\W*$",
    ),
    "de": _any_of(
        r"\b(?:siehe|vgl\.?|wie) (?:oben|unten|(?:in|bei|unter)? ?(?:Punkt|Zeile|Frage|Kriterium|Stufe|Nr\.?|\() ?\d)",
        r"\bs\. ?[ou]\.|\bdito\b|\bebenso wie (?:oben|in)\b",
        r"\b(?:oben|vorher) genannt\w*|\bobengenannt\w*",
        r"\b(?:vorherig|vorig|obig)e[nrsm]? (?:Punkt|Frage|Zeile|Kriterium|Antwort)\w*",
    ),
    "ja": _any_of("上記|前述|同上|下記|(?:前|上)の(?:項目|設問|問|基準)|[(（]\\d+[)）]と(?:同じ|同様)"),
    "zh": _any_of("同上|如上|见上|上述|前述|見上|[(（]\\d+[)）]相同|见第?\\d+|上一(?:项|条|题|項|條|題)"),
}
"""Words that send the judge to another item, which it may not see, or not in this place."""

_EN_SIGHT = (
    "image|picture|figure|fig|screenshot|photo|photograph|diagram|chart|graph|plot|drawing|video|attachment"
    "|attached file"
)
_DE_SIGHT = "bild|abbildung|abb|screenshot|foto|diagramm|grafik|skizze|zeichnung|video|anhang|anlage|link"
_JA_SIGHT = "図|画像|写真|スクリーンショット|グラフ|添付|リンク"
_ZH_SIGHT = "图|圖|截图|截圖|图片|圖片|附件|链接|連結"

UNSEEN: Mapping[Language, re.Pattern[str]] = {
    "en": _any_of(
        r"\b(?:shown|seen|depicted|displayed|visible|marked|highlighted|circled|indicated|drawn|illustrated|given|listed)"
        rf" (?:in|on|by) (?:the |this |that |an? )?(?:attached |above |following )?(?:{_EN_SIGHT})\b",
        rf"\b(?:see|per|from|match(?:es|ing)?|according to|refer to|compared? (?:with|to)|as in|agrees? with|based on)"
        rf" (?:the |this )?(?:attached |above |following )?(?:{_EN_SIGHT})s?\b",
        rf"\b(?:what|as|everything|all) (?:the |this )(?:{_EN_SIGHT}) (?:shows|depicts|says)\b",
        r"\b(?:see|in|per) (?:the )?(?:attachment|attached)\b|\bthe attached\b",
        r"\b(?:see|at|under|in|from|according to|described (?:at|in|under))(?: the| this)?:? (?:https?://|www\.|link\b)",
    ),
    "de": _any_of(
        rf"\b(?:auf|in|im|aus|laut|gemäß|siehe|vgl\.?)(?: de[rmn]| da[s]| die| diese[rm])?(?: beigefügten?| obigen?)?"
        rf" (?:{_DE_SIGHT})(?:es|s|en|e)?\b",
        r"\bsiehe:? (?:https?://|www\.)",
    ),
    "ja": _any_of(
        rf"(?:{_JA_SIGHT})[\d０-９]*(?:の(?:とおり|通り|ように)|に(?:示|ある|基づ)|を(?:参照|見)|から(?:読み|分か|わか)|参照|と一致)",
        "添付(?:ファイル|資料|の)|リンク先",
    ),
    "zh": _any_of(
        rf"(?:见|如|根据|参见|按照|参照|依据|見|根據|參見|參照)(?:上|下|附)?(?:{_ZH_SIGHT})",
        rf"(?:{_ZH_SIGHT})(?:中|上)?所(?:示|见|見)|附件",
    ),
}
"""Words that send the judge to a picture, a file or a page: it is given texts only."""
