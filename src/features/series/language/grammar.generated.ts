// Generated automatically by nearley, version 2.20.1
// http://github.com/Hardmath123/nearley
// Bypasses TS6133. Allow declared but unused functions.
// @ts-ignore
function id(d: any[]): any { return d[0]; }
declare var NAME: any;
declare var ASSIGN: any;
declare var LBRACE: any;
declare var RBRACE: any;
declare var PLUS: any;
declare var MINUS: any;
declare var STAR: any;
declare var SLASH: any;
declare var PLAIN: any;
declare var LPAREN: any;
declare var RPAREN: any;
declare var RANKING: any;
declare var COMMA: any;
declare var INTEGER: any;
declare var RESCALE: any;
declare var STRING: any;
declare var LOG: any;
declare var DOUBLE: any;
declare var AND: any;
declare var OR: any;
declare var EQ: any;
declare var NE: any;
declare var GLOB: any;
declare var COLON: any;
declare var MATCH: any;
declare var MISMATCH: any;
declare var LT: any;
declare var GT: any;
declare var LE: any;
declare var GE: any;
declare var LBRACKET: any;
declare var RBRACKET: any;
declare var INTERVAL: any;
declare var KEYWORD: any;

import { TOKEN_NAMES } from '../../../kit/index.js';
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
    {"name": "query", "symbols": ["sum"], "postprocess": build.first},
    {"name": "query", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), (lexer.has("ASSIGN") ? {type: "ASSIGN"} : ASSIGN), "sum"], "postprocess": build.third},
    {"name": "query", "symbols": [(lexer.has("LBRACE") ? {type: "LBRACE"} : LBRACE), "conditions", (lexer.has("RBRACE") ? {type: "RBRACE"} : RBRACE), "brackets"], "postprocess": build.selector},
    {"name": "sum", "symbols": ["product"], "postprocess": build.first},
    {"name": "sum", "symbols": ["sum", (lexer.has("PLUS") ? {type: "PLUS"} : PLUS), "product"], "postprocess": build.arithmetic},
    {"name": "sum", "symbols": ["sum", (lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "product"], "postprocess": build.arithmetic},
    {"name": "product", "symbols": ["factor"], "postprocess": build.first},
    {"name": "product", "symbols": ["factors", (lexer.has("STAR") ? {type: "STAR"} : STAR), "factor"], "postprocess": build.scaled},
    {"name": "product", "symbols": ["product", (lexer.has("STAR") ? {type: "STAR"} : STAR), "factor"], "postprocess": build.arithmetic},
    {"name": "product", "symbols": ["product", (lexer.has("SLASH") ? {type: "SLASH"} : SLASH), "factor"], "postprocess": build.arithmetic},
    {"name": "product", "symbols": ["product", (lexer.has("STAR") ? {type: "STAR"} : STAR), "number"], "postprocess": build.scaledBy},
    {"name": "factors", "symbols": ["number"], "postprocess": build.list},
    {"name": "factors", "symbols": ["factors", (lexer.has("STAR") ? {type: "STAR"} : STAR), "number"], "postprocess": build.nextOfList},
    {"name": "factor", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), "brackets"], "postprocess": build.named},
    {"name": "factor", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), (lexer.has("LBRACE") ? {type: "LBRACE"} : LBRACE), "conditions", (lexer.has("RBRACE") ? {type: "RBRACE"} : RBRACE), "brackets"], "postprocess": build.qualified},
    {"name": "factor", "symbols": [(lexer.has("PLAIN") ? {type: "PLAIN"} : PLAIN), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "sum", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.call},
    {"name": "factor", "symbols": [(lexer.has("RANKING") ? {type: "RANKING"} : RANKING), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "sum", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), (lexer.has("INTEGER") ? {type: "INTEGER"} : INTEGER), (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.ranking},
    {"name": "factor", "symbols": [(lexer.has("RESCALE") ? {type: "RESCALE"} : RESCALE), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "sum", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), (lexer.has("STRING") ? {type: "STRING"} : STRING), (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.rescale},
    {"name": "factor", "symbols": [(lexer.has("LOG") ? {type: "LOG"} : LOG), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "sum", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.log},
    {"name": "factor", "symbols": [(lexer.has("LOG") ? {type: "LOG"} : LOG), (lexer.has("LPAREN") ? {type: "LPAREN"} : LPAREN), "sum", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "number", (lexer.has("RPAREN") ? {type: "RPAREN"} : RPAREN)], "postprocess": build.log},
    {"name": "number", "symbols": ["positive"], "postprocess": build.first},
    {"name": "number", "symbols": [(lexer.has("MINUS") ? {type: "MINUS"} : MINUS), "positive"], "postprocess": build.negative},
    {"name": "positive", "symbols": [(lexer.has("INTEGER") ? {type: "INTEGER"} : INTEGER)], "postprocess": build.text},
    {"name": "positive", "symbols": [(lexer.has("DOUBLE") ? {type: "DOUBLE"} : DOUBLE)], "postprocess": build.text},
    {"name": "conditions", "symbols": ["condition"], "postprocess": build.first},
    {"name": "conditions", "symbols": ["conditions", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "condition"], "postprocess": build.junction},
    {"name": "condition", "symbols": ["comparison"], "postprocess": build.first},
    {"name": "condition", "symbols": ["condition", (lexer.has("AND") ? {type: "AND"} : AND), "comparison"], "postprocess": build.junction},
    {"name": "condition", "symbols": ["condition", (lexer.has("OR") ? {type: "OR"} : OR), "comparison"], "postprocess": build.junction},
    {"name": "comparison", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), "equality", "value"], "postprocess": build.comparison},
    {"name": "comparison", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), "matching", "pattern"], "postprocess": build.comparison},
    {"name": "comparison", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME), "ordering", "number"], "postprocess": build.ordering},
    {"name": "equality", "symbols": [(lexer.has("EQ") ? {type: "EQ"} : EQ)], "postprocess": build.first},
    {"name": "equality", "symbols": [(lexer.has("NE") ? {type: "NE"} : NE)], "postprocess": build.first},
    {"name": "equality", "symbols": [(lexer.has("GLOB") ? {type: "GLOB"} : GLOB)], "postprocess": build.first},
    {"name": "equality", "symbols": [(lexer.has("COLON") ? {type: "COLON"} : COLON)], "postprocess": build.first},
    {"name": "matching", "symbols": [(lexer.has("MATCH") ? {type: "MATCH"} : MATCH)], "postprocess": build.first},
    {"name": "matching", "symbols": [(lexer.has("MISMATCH") ? {type: "MISMATCH"} : MISMATCH)], "postprocess": build.first},
    {"name": "ordering", "symbols": [(lexer.has("LT") ? {type: "LT"} : LT)], "postprocess": build.first},
    {"name": "ordering", "symbols": [(lexer.has("GT") ? {type: "GT"} : GT)], "postprocess": build.first},
    {"name": "ordering", "symbols": [(lexer.has("LE") ? {type: "LE"} : LE)], "postprocess": build.first},
    {"name": "ordering", "symbols": [(lexer.has("GE") ? {type: "GE"} : GE)], "postprocess": build.first},
    {"name": "value", "symbols": ["pattern"], "postprocess": build.first},
    {"name": "value", "symbols": ["number"], "postprocess": build.numeric},
    {"name": "pattern", "symbols": [(lexer.has("STRING") ? {type: "STRING"} : STRING)], "postprocess": build.textual},
    {"name": "pattern", "symbols": [(lexer.has("NAME") ? {type: "NAME"} : NAME)], "postprocess": build.textual},
    {"name": "brackets", "symbols": [], "postprocess": build.nothing},
    {"name": "brackets", "symbols": [(lexer.has("LBRACKET") ? {type: "LBRACKET"} : LBRACKET), "times", (lexer.has("RBRACKET") ? {type: "RBRACKET"} : RBRACKET)], "postprocess": build.second},
    {"name": "times", "symbols": ["time"], "postprocess": build.list},
    {"name": "times", "symbols": ["times", (lexer.has("COMMA") ? {type: "COMMA"} : COMMA), "time"], "postprocess": build.nextOfList},
    {"name": "time", "symbols": [(lexer.has("INTERVAL") ? {type: "INTERVAL"} : INTERVAL)], "postprocess": build.range},
    {"name": "time", "symbols": [(lexer.has("KEYWORD") ? {type: "KEYWORD"} : KEYWORD), (lexer.has("COLON") ? {type: "COLON"} : COLON), (lexer.has("INTEGER") ? {type: "INTEGER"} : INTEGER)], "postprocess": build.time},
    {"name": "time", "symbols": [(lexer.has("KEYWORD") ? {type: "KEYWORD"} : KEYWORD), (lexer.has("COLON") ? {type: "COLON"} : COLON), (lexer.has("DOUBLE") ? {type: "DOUBLE"} : DOUBLE)], "postprocess": build.time},
    {"name": "time", "symbols": [(lexer.has("KEYWORD") ? {type: "KEYWORD"} : KEYWORD), (lexer.has("COLON") ? {type: "COLON"} : COLON), (lexer.has("STRING") ? {type: "STRING"} : STRING)], "postprocess": build.time}
  ],
  ParserStart: "query",
};

export default grammar;
