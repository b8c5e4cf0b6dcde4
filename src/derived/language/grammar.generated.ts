// Generated automatically by nearley, version 2.20.1
// http://github.com/Hardmath123/nearley
// Bypasses TS6133. Allow declared but unused functions.
// @ts-ignore
function id(d: any[]): any { return d[0]; }
declare var QUEST: any;
declare var COLON: any;
declare var AND: any;
declare var OR: any;
declare var NOT: any;
declare var LT: any;
declare var LEQ: any;
declare var EQ: any;
declare var GEQ: any;
declare var GT: any;
declare var NEQ: any;
declare var PLUS: any;
declare var MINUS: any;
declare var STAR: any;
declare var SLASH: any;
declare var INSTNAME: any;
declare var LPAREN: any;
declare var RPAREN: any;
declare var MKCONST: any;
declare var COMMA: any;
declare var RESCALE: any;
declare var STRING: any;
declare var MATCHINST: any;
declare var PATTERN: any;
declare var NAME: any;
declare var INTEGER: any;
declare var DOUBLE: any;
declare var AVG: any;
declare var COUNT: any;
declare var MAX: any;
declare var MIN: any;
declare var SUM: any;
declare var DEFINED: any;
declare var ANON: any;
declare var DELTA: any;
declare var RATE: any;
declare var INSTANT: any;
declare var SCALAR: any;
declare var NOVALUE: any;
declare var ASSIGN: any;
declare var META: any;
declare var TYPE: any;
declare var SEMANTICS: any;
declare var UNITS: any;
declare var INDOM: any;

import { TOKEN_NAMES } from '../../kit/index.js';
import * as build from './build.js';

// The tokens come ready made from lexer.ts; see parse.ts.
const lexer = TOKEN_NAMES;

interface NearleyToken {
  value: any;
  [key: string]: any;
};

interface NearleyLexer {
  reset: (chunk: string, info: any) => void;
  next: () => NearleyToken | undefined;
  save: () => any;
  formatError: (token: never) => string;
  has: (tokenType: string) => boolean;
};

interface NearleyRule {
  name: string;
  symbols: NearleySymbol[];
  postprocess?: (d: any[], loc?: number, reject?: {}) => any;
};

type NearleySymbol = string | { literal: any } | { test: (token: any) => boolean };

interface Grammar {
  Lexer: NearleyLexer | undefined;
  ParserRules: NearleyRule[];
  ParserStart: string;
};

const grammar: Grammar = {
  Lexer: lexer,
  ParserRules: [
    {"name": "definition", "symbols": ["ternary"], "postprocess": build.first},
    {"name": "ternary", "symbols": ["boolean"], "postprocess": build.first},
    {"name": "ternary", "symbols": ["ternary", (lexer.has("QUEST") ? {type: "QUEST"} : QUEST), "ternary", (lexer.has("COLON") ? {type: "COLON"} : COLON), "boolean"], "postprocess": build.ternary},
    {"name": "ternary", "symbols": ["ternary", (lexer.has("QUEST") ? {type: "QUEST"} : QUEST), "novalue", (lexer.has("COLON") ? {type: "COLON"} : COLON), "boolean"], "postprocess": build.ternary},
    {"name": "ternary", "symbols": ["ternary", (lexer.has("QUEST") ? {type: "QUEST"} : QUEST), "ternary", (lexer.has("COLON") ? {type: "COLON"} : COLON), "novalue"], "postprocess": build.ternary},
    {"name": "boolean", "symbols": ["booleanOperand"], "postprocess": build.first},
    {"name": "boolean", "symbols": ["boolean", "booleanOperator", "booleanOperand"], "postprocess": build.binary},
    {"name": "booleanOperand", "symbols": ["relational"], "postprocess": build.first},
    {"name": "booleanOperand", "symbols": ["relationalNot"], "postprocess": build.first},
    {"name": "booleanOperand", "symbols": ["not"], "postprocess": build.first},
    {"name": "booleanOperator", "symbols": [(lexer.has("AND") ? {type: "AND"} : AND)], "postprocess": build.first},
    {"name": "booleanOperator", "symbols": [(lexer.has("OR") ? {type: "OR"} : OR)], "postprocess": build.first},
    {"name": "not", "symbols": [(lexer.has("NOT") ? {type: "NOT"} : NOT), "relational"], "postprocess": build.unary},
    {"name": "not", "symbols": [(lexer.has("NOT") ? {type: "NOT"} : NOT), "relationalNot"], "postprocess": build.unary},
    {"name": "not", "symbols": [(lexer.has("NOT") ? {type: "NOT"} : NOT), "not"], "postprocess": build.unary},
    {"name": "relational", "symbols": ["sum"], "postprocess": build.first},
    {"name": "relational", "symbols": ["relational", "relationalOperator", "sum"], "postprocess": build.binary},
    {"name": "relationalNot", "symbols": ["sumNot"], "postprocess": build.first},
    {"name": "relationalNot", "symbols": ["relational", "relationalOperator", "sumNot"], "postprocess": build.binary},
    {"name": "relationalNot", "symbols": ["relational", "relationalOperator", "not"], "postprocess": build.binary},
    {"name": "relationalOperator", "symbols": [(lexer.has("LT") ? {type: "LT"} : LT)], "postprocess": build.first},
    {"name": "relationalOperator", "symbols": [(lexer.has("LEQ") ? {type: "LEQ"} : LEQ)], "postprocess": build.first},
    {"name": "relationalOperator", "symbols": [(lexer.has("EQ") ? {type: "EQ"} : EQ)], "postprocess": build.first},
    {"name": "relationalOperator", "symbols": [(lexer.has("GEQ") ? {type: "GEQ"} : GEQ)], "postprocess": build.first},
    {"name": "relationalOperator", "symbols": [(lexer.has("GT") ? {type: "GT"} : GT)], "postprocess": build.first},
    {"name": "relationalOperator", "symbols": [(lexer.has("NEQ") ? {type: "NEQ"} : NEQ)], "postprocess": build.first},
    {"name": "sum", "symbols": ["product"], "postprocess": build.first},
    {"name": "sum", "symbols": ["productNeg"], "postprocess": build.first},
    {"name": "sum", "symbols": ["negation"], "postprocess": build.first},
    {"name": "sum", "symbols": ["sum", "sumOperator", "product"], "postprocess": build.binary},
    {"name": "sum", "symbols": ["sum", "sumOperator", "productNeg"], "postprocess": build.binary},
    {"name": "sum", "symbols": ["sum", "sumOperator", "negation"], "postprocess": build.binary},
    {"name": "sumNot", "symbols": ["productNot"], "postprocess": build.first},
    {"name": "sumNot", "symbols": ["negationNot"], "postprocess": build.first},
    {"name": "sumNot", "symbols": ["sum", "sumOperator", "productNot"], "postprocess": build.binary},
    {"name": "sumNot", "symbols": ["sum", "sumOperator", "negationNot"], "postprocess": build.binary},
    {"name": "sumNot", "symbols": ["sum", "sumOperator", "not"], "postprocess": build.binary},
    {"name": "sumOperator", "symbols": [(lexer.has("PLUS") ? {type: "PLUS"} : PLUS)], "postprocess": build.first},
    {"name": "sumOperator", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS)], "postprocess": build.first},
    {"name": "negation", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "product"], "postprocess": build.unary},
    {"name": "negation", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "productNeg"], "postprocess": build.unary},
    {"name": "negation", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "negation"], "postprocess": build.unary},
    {"name": "negationNot", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "productNot"], "postprocess": build.unary},
    {"name": "negationNot", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "negationNot"], "postprocess": build.unary},
    {"name": "negationNot", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "not"], "postprocess": build.unary},
    {"name": "product", "symbols": ["primary"], "postprocess": build.first},
    {"name": "product", "symbols": ["product", "productOperator", "primary"], "postprocess": build.binary},
    {"name": "productNeg", "symbols": ["product", "productOperator", "negation"], "postprocess": build.binary},
    {"name": "productNot", "symbols": ["product", "productOperator", "negationNot"], "postprocess": build.binary},
    {"name": "productNot", "symbols": ["product", "productOperator", "not"], "postprocess": build.binary},
    {"name": "productOperator", "symbols": [(lexer.has("STAR") ? {type: "STAR"} : STAR)], "postprocess": build.first},
    {"name": "productOperator", "symbols": [(lexer.has("SLASH") ? {type: "SLASH"} : SLASH)], "postprocess": build.first},
    {"name": "primary", "symbols": ["name"], "postprocess": build.first},
    {"name": "primary", "symbols": ["name", (lexer.has("INSTNAME") ? {type: "INSTNAME"} : INSTNAME)], "postprocess": build.select},
    {"name": "primary", "symbols": [(lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "ternary", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.group},
    {"name": "primary", "symbols": [(lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "ternary", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN), (lexer.has("INSTNAME") ? {type: "INSTNAME"} : INSTNAME)], "postprocess": build.selectGroup},
    {"name": "primary", "symbols": ["number"], "postprocess": build.first},
    {"name": "primary", "symbols": [(lexer.has("MKCONST") ? {type: "MKCONST"} : MKCONST), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "number", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "tags", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.mkconst},
    {"name": "primary", "symbols": ["nameFunction", (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "name", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.nameCall},
    {"name": "primary", "symbols": ["function", (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "ternary", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.call},
    {"name": "primary", "symbols": [(lexer.has("RESCALE") ? {type: "RESCALE"} : RESCALE), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "ternary", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), (lexer.has("STRING") ? {type: "STRING"} : STRING), (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.rescale},
    {"name": "primary$ebnf$1", "symbols": [(lexer.has("NOT") ? {type: "NOT"} : NOT)], "postprocess": id},
    {"name": "primary$ebnf$1", "symbols": [], "postprocess": () => null},
    {"name": "primary", "symbols": [(lexer.has("MATCHINST") ? {type: "MATCHINST"} : MATCHINST), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "primary$ebnf$1", (lexer.has("PATTERN") ? {type: "PATTERN"} : PATTERN), (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "ternary", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.matchinst},
    {"name": "name", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME)], "postprocess": build.name},
    {"name": "number", "symbols": [(lexer.has("INTEGER") ? {type: "INTEGER"} : INTEGER)], "postprocess": build.integer},
    {"name": "number", "symbols": [(lexer.has("DOUBLE") ? {type: "DOUBLE"} : DOUBLE)], "postprocess": build.double},
    {"name": "nameFunction", "symbols": [(lexer.has("AVG") ? {type: "AVG"} : AVG)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("COUNT") ? {type: "COUNT"} : COUNT)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("MAX") ? {type: "MAX"} : MAX)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("MIN") ? {type: "MIN"} : MIN)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("SUM") ? {type: "SUM"} : SUM)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("DEFINED") ? {type: "DEFINED"} : DEFINED)], "postprocess": build.first},
    {"name": "nameFunction", "symbols": [(lexer.has("ANON") ? {type: "ANON"} : ANON)], "postprocess": build.first},
    {"name": "function", "symbols": [(lexer.has("DELTA") ? {type: "DELTA"} : DELTA)], "postprocess": build.first},
    {"name": "function", "symbols": [(lexer.has("RATE") ? {type: "RATE"} : RATE)], "postprocess": build.first},
    {"name": "function", "symbols": [(lexer.has("INSTANT") ? {type: "INSTANT"} : INSTANT)], "postprocess": build.first},
    {"name": "function", "symbols": [(lexer.has("SCALAR") ? {type: "SCALAR"} : SCALAR)], "postprocess": build.first},
    {"name": "novalue", "symbols": [(lexer.has("NOVALUE") ? {type: "NOVALUE"} : NOVALUE), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.novalue},
    {"name": "novalue", "symbols": [(lexer.has("NOVALUE") ? {type: "NOVALUE"} : NOVALUE), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "tags", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.novalue},
    {"name": "tags", "symbols": ["tag"], "postprocess": build.firstTag},
    {"name": "tags", "symbols": ["tags", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "tag"], "postprocess": build.nextTag},
    {"name": "tag", "symbols": ["tagName", (lexer.has("ASSIGN") ? {type: "ASSIGN"} : ASSIGN), "tagValue"], "postprocess": build.tag},
    {"name": "tag", "symbols": [(lexer.has("META") ? {type: "META"} : META), (lexer.has("ASSIGN") ? {type: "ASSIGN"} : ASSIGN), "name"], "postprocess": build.metaTag},
    {"name": "tagName", "symbols": [(lexer.has("TYPE") ? {type: "TYPE"} : TYPE)], "postprocess": build.first},
    {"name": "tagName", "symbols": [(lexer.has("SEMANTICS") ? {type: "SEMANTICS"} : SEMANTICS)], "postprocess": build.first},
    {"name": "tagName", "symbols": [(lexer.has("UNITS") ? {type: "UNITS"} : UNITS)], "postprocess": build.first},
    {"name": "tagName", "symbols": [(lexer.has("INDOM") ? {type: "INDOM"} : INDOM)], "postprocess": build.first},
    {"name": "tagValue", "symbols": [(lexer.has("STRING") ? {type: "STRING"} : STRING)], "postprocess": build.first},
    {"name": "tagValue", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME)], "postprocess": build.first},
    {"name": "tagValue", "symbols": [(lexer.has("INTEGER") ? {type: "INTEGER"} : INTEGER)], "postprocess": build.first},
    {"name": "tagValue", "symbols": [(lexer.has("DOUBLE") ? {type: "DOUBLE"} : DOUBLE)], "postprocess": build.first}
  ],
  ParserStart: "definition",
};

export default grammar;
