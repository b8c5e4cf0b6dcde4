# The grammar of queries over series. `npm run generate` compiles it to grammar.generated.ts.
#
# Unambiguous, and left recursive wherever something may be repeated: every text has at most one parse, found in linear time.
# What pmseries(1) leaves open is as pmproxy has it, but for * and /, which bind before + and -, and negative numbers.

@preprocessor typescript

@{%
import { TOKEN_NAMES } from '../../../kit/index.js';
import * as build from './build.js';

// The tokens come ready made from lexer.ts; see parse.ts.
const lexer = TOKEN_NAMES;
%}

@lexer lexer

query ->
    sum                                                 {% build.first %}
  | %NAME %ASSIGN sum                                   {% build.third %}
  | %LBRACE conditions %RBRACE brackets                 {% build.selector %}

sum ->
    product                                             {% build.first %}
  | sum %PLUS product                                   {% build.arithmetic %}
  | sum %MINUS product                                  {% build.arithmetic %}

product ->
    factor                                              {% build.first %}
  | factors %STAR factor                                {% build.scaled %}
  | product %STAR factor                                {% build.arithmetic %}
  | product %SLASH factor                               {% build.arithmetic %}
  | product %STAR number                                {% build.scaledBy %}
factors ->
    number                                              {% build.list %}
  | factors %STAR number                                {% build.nextOfList %}

factor ->
    %NAME brackets                                      {% build.named %}
  | %NAME %LBRACE conditions %RBRACE brackets           {% build.qualified %}
  | %PLAIN %LPAREN sum %RPAREN                          {% build.call %}
  | %RANKING %LPAREN sum %COMMA %INTEGER %RPAREN        {% build.ranking %}
  | %RESCALE %LPAREN sum %COMMA %STRING %RPAREN         {% build.rescale %}
  | %LOG %LPAREN sum %RPAREN                            {% build.log %}
  | %LOG %LPAREN sum %COMMA number %RPAREN              {% build.log %}

number ->
    positive                                            {% build.first %}
  | %MINUS positive                                     {% build.negative %}
positive -> %INTEGER {% build.text %} | %DOUBLE         {% build.text %}

# A comma is "and", and binds less than && and ||, which bind alike.
conditions ->
    condition                                           {% build.first %}
  | conditions %COMMA condition                         {% build.junction %}
condition ->
    comparison                                          {% build.first %}
  | condition %AND comparison                           {% build.junction %}
  | condition %OR comparison                            {% build.junction %}
comparison ->
    %NAME equality value                                {% build.comparison %}
  | %NAME matching pattern                              {% build.comparison %}
  | %NAME ordering number                               {% build.ordering %}
equality -> %EQ {% build.first %} | %NE {% build.first %} | %GLOB {% build.first %} | %COLON {% build.first %}
matching -> %MATCH {% build.first %} | %MISMATCH        {% build.first %}
ordering -> %LT {% build.first %} | %GT {% build.first %} | %LE {% build.first %} | %GE {% build.first %}
value ->
    pattern                                             {% build.first %}
  | number                                              {% build.numeric %}
pattern -> %STRING {% build.textual %} | %NAME          {% build.textual %}

brackets ->
    null                                                {% build.nothing %}
  | %LBRACKET times %RBRACKET                           {% build.second %}
times ->
    time                                                {% build.list %}
  | times %COMMA time                                   {% build.nextOfList %}
time ->
    %INTERVAL                                           {% build.range %}
  | %KEYWORD %COLON %INTEGER                            {% build.time %}
  | %KEYWORD %COLON %DOUBLE                             {% build.time %}
  | %KEYWORD %COLON %STRING                             {% build.time %}
