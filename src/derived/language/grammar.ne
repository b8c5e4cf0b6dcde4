# The grammar of derived metrics' expressions. `npm run generate:grammar` compiles it to grammar.generated.ts.
#
# Unambiguous: every text has at most one parse. What makes that work takes some care, for the prefix operators bind weaker
# than most operators that may stand before them: `a * !b + c` is `a * (!(b + c))`, and `a * -b * c` is `a * (-(b * c))`.
# So an expression that ends in an open prefix operator must not be the left operand of an operator that would have gone
# into the prefix operator's own operand. Names say what an expression may end in:
#
#   plain names    nothing open that matters to the operators of their level
#   ...Neg         an open unary minus: multiplication and division go into it
#   ...Not         an open "!": everything down to the relational operators goes into it
#
# Levels, weakest first, all left associative: ternary; && ||; !; relational; + - and unary minus; * /.

@preprocessor typescript

@{%
import { TOKEN_NAMES } from '../../kit/index.js';
import * as build from './build.js';

// The tokens come ready made from lexer.ts; see parse.ts.
const lexer = TOKEN_NAMES;
%}

@lexer lexer

definition -> ternary                                   {% build.first %}

# `?:` associates to the left, unlike C's: a ? b : c ? d : e is (a ? b : c) ? d : e.
ternary ->
    boolean                                             {% build.first %}
  | ternary %QUEST ternary %COLON boolean               {% build.ternary %}
  | ternary %QUEST novalue %COLON boolean               {% build.ternary %}
  | ternary %QUEST ternary %COLON novalue               {% build.ternary %}

boolean ->
    booleanOperand                                      {% build.first %}
  | boolean booleanOperator booleanOperand              {% build.binary %}
booleanOperand ->
    relational                                          {% build.first %}
  | relationalNot                                       {% build.first %}
  | not                                                 {% build.first %}
booleanOperator -> %AND {% build.first %} | %OR         {% build.first %}

not ->
    %NOT relational                                     {% build.unary %}
  | %NOT relationalNot                                  {% build.unary %}
  | %NOT not                                            {% build.unary %}

relational ->
    sum                                                 {% build.first %}
  | relational relationalOperator sum                   {% build.binary %}
relationalNot ->
    sumNot                                              {% build.first %}
  | relational relationalOperator sumNot                {% build.binary %}
  | relational relationalOperator not                   {% build.binary %}
relationalOperator ->
    %LT                                                 {% build.first %}
  | %LEQ                                                {% build.first %}
  | %EQ                                                 {% build.first %}
  | %GEQ                                                {% build.first %}
  | %GT                                                 {% build.first %}
  | %NEQ                                                {% build.first %}

# A unary minus at the end of a sum is closed by whatever operator may follow a sum.
sum ->
    product                                             {% build.first %}
  | productNeg                                          {% build.first %}
  | negation                                            {% build.first %}
  | sum sumOperator product                             {% build.binary %}
  | sum sumOperator productNeg                          {% build.binary %}
  | sum sumOperator negation                            {% build.binary %}
sumNot ->
    productNot                                          {% build.first %}
  | negationNot                                         {% build.first %}
  | sum sumOperator productNot                          {% build.binary %}
  | sum sumOperator negationNot                         {% build.binary %}
  | sum sumOperator not                                 {% build.binary %}
sumOperator -> %PLUS {% build.first %} | %MINUS         {% build.first %}

negation ->
    %MINUS product                                      {% build.unary %}
  | %MINUS productNeg                                   {% build.unary %}
  | %MINUS negation                                     {% build.unary %}
negationNot ->
    %MINUS productNot                                   {% build.unary %}
  | %MINUS negationNot                                  {% build.unary %}
  | %MINUS not                                          {% build.unary %}

product ->
    primary                                             {% build.first %}
  | product productOperator primary                     {% build.binary %}
productNeg -> product productOperator negation          {% build.binary %}
productNot ->
    product productOperator negationNot                 {% build.binary %}
  | product productOperator not                         {% build.binary %}
productOperator -> %STAR {% build.first %} | %SLASH     {% build.first %}

primary ->
    name                                                {% build.first %}
  | name %INSTNAME                                      {% build.select %}
  | %LPAREN ternary %RPAREN                             {% build.group %}
  | %LPAREN ternary %RPAREN %INSTNAME                   {% build.selectGroup %}
  | number                                              {% build.first %}
  | %MKCONST %LPAREN number %COMMA tags %RPAREN         {% build.mkconst %}
  | nameFunction %LPAREN name %RPAREN                   {% build.nameCall %}
  | function %LPAREN ternary %RPAREN                    {% build.call %}
  | %RESCALE %LPAREN ternary %COMMA %STRING %RPAREN     {% build.rescale %}
  | %MATCHINST %LPAREN %NOT:? %PATTERN %COMMA ternary %RPAREN  {% build.matchinst %}

name -> %NAME                                           {% build.name %}
number -> %INTEGER {% build.integer %} | %DOUBLE        {% build.double %}

nameFunction ->
    %AVG                                                {% build.first %}
  | %COUNT                                              {% build.first %}
  | %MAX                                                {% build.first %}
  | %MIN                                                {% build.first %}
  | %SUM                                                {% build.first %}
  | %DEFINED                                            {% build.first %}
  | %ANON                                               {% build.first %}
function ->
    %DELTA                                              {% build.first %}
  | %RATE                                               {% build.first %}
  | %INSTANT                                            {% build.first %}
  | %SCALAR                                             {% build.first %}

# An arm of a ternary, nowhere else, and only one of the two.
novalue ->
    %NOVALUE %LPAREN %RPAREN                            {% build.novalue %}
  | %NOVALUE %LPAREN tags %RPAREN                       {% build.novalue %}

tags -> tag {% build.firstTag %} | tags %COMMA tag      {% build.nextTag %}
tag -> tagName %ASSIGN tagValue                         {% build.tag %} | %META %ASSIGN name {% build.metaTag %}
tagName ->
    %TYPE                                               {% build.first %}
  | %SEMANTICS                                          {% build.first %}
  | %UNITS                                              {% build.first %}
  | %INDOM                                              {% build.first %}
tagValue ->
    %STRING                                             {% build.first %}
  | %NAME                                               {% build.first %}
  | %INTEGER                                            {% build.first %}
  | %DOUBLE                                             {% build.first %}
