// What a master file says and what must be read of it, row by row: the good, the broken with each
// place and message, includes and origins.

export const good = [
  {
    name: "a record with TTL and class",
    text: "www 60 IN A 192.0.2.1",
    expected: ["www.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "class before TTL, in any case",
    text: "www in 60 a 192.0.2.1",
    expected: ["www.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "the class as CLASS1",
    text: "www CLASS1 60 A 192.0.2.1",
    expected: ["www.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "a blank owner as the owner before, over comments and empty lines",
    text: "www 60 A 192.0.2.1\n; comment\n\n \t \n\t60 AAAA ::1 ; comment\n",
    expected: ["www.example. 60 IN A 192.0.2.1", "www.example. 60 IN AAAA ::1"],
  },
  {
    name: "a byte order mark as nothing",
    text: "\xef\xbb\xbfwww 60 A 192.0.2.1",
    expected: ["www.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "the TTL before where none is given",
    text: "a 60 TXT x\nb TXT y\nc 90 TXT z\nd TXT w",
    expected: [
      'a.example. 60 IN TXT "x"',
      'b.example. 60 IN TXT "y"',
      'c.example. 90 IN TXT "z"',
      'd.example. 90 IN TXT "w"',
    ],
  },
  {
    name: "$TTL before the TTL of another record",
    text: "$TTL 1m30s\na 60 TXT x\nb TXT y\n$ttl 0\nc TXT z",
    expected: ['a.example. 60 IN TXT "x"', 'b.example. 90 IN TXT "y"', 'c.example. 0 IN TXT "z"'],
  },
  {
    name: "the minimum of a SOA where there is no TTL at all",
    text: "@ SOA a b 1 2 3 4 77\n@ NS a\nx 5 TXT x\ny TXT y",
    expected: [
      "example. 77 IN SOA a.example. b.example. 1 2 3 4 77",
      "example. 77 IN NS a.example.",
      'x.example. 5 IN TXT "x"',
      'y.example. 77 IN TXT "y"',
    ],
  },
  {
    name: "times with units in any case",
    text: "a 1W2D3h4M5s TXT x\nb 2h2H TXT y\nc 2147483647 TXT z",
    expected: [
      'a.example. 788645 IN TXT "x"',
      'b.example. 14400 IN TXT "y"',
      'c.example. 2147483647 IN TXT "z"',
    ],
  },
  {
    name: "$ORIGIN, absolute and relative",
    text: "a 60 NS @\n$ORIGIN sub\na NS @\n$ORIGIN other.\na NS @\n@ NS .\n$ORIGIN .\na NS b",
    expected: [
      "a.example. 60 IN NS example.",
      "a.sub.example. 60 IN NS sub.example.",
      "a.other. 60 IN NS other.",
      "other. 60 IN NS .",
      "a. 60 IN NS b.",
    ],
  },
  {
    name: "parentheses over lines, with comments inside",
    text: "a 60 ( ; one (\n  IN\n MX ;two )\n10\n) ( b )\n\tMX ( 20 c )",
    expected: ["a.example. 60 IN MX 10 b.example.", "a.example. 60 IN MX 20 c.example."],
  },
  {
    name: "parentheses inside parentheses",
    text: "a 60 MX ( ( 10 )\n b )\nc 60 A 192.0.2.1",
    expected: ["a.example. 60 IN MX 10 b.example.", "c.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "CRLF line ends and a last line without end",
    text: "a 60 TXT x\r\n\r\nb 60 TXT (\r\n y )\r\nc 60 TXT z",
    expected: ['a.example. 60 IN TXT "x"', 'b.example. 60 IN TXT "y"', 'c.example. 60 IN TXT "z"'],
  },
  {
    name: "escapes in names",
    text: "a\\.b\\032c 60 NS \\@.\\(\\200\\\\.\\$\\;\n\\@ 60 NS @",
    expected: [
      "a\\.b\\032c.example. 60 IN NS \\@.\\(\\200\\\\.\\$\\;.example.",
      "\\@.example. 60 IN NS example.",
    ],
  },
  {
    name: "octets over 0x7f as they are",
    text: '\xc3\xa9 60 TXT \xff "\xe9" \\255',
    expected: ['\\195\\169.example. 60 IN TXT "\\255" "\\233" "\\255"'],
  },
  {
    name: "strings with and without quotes",
    text: 'a 60 TXT "x y;(" z\\ z "\\"" \\" "" \\; "\\065\\\\"',
    expected: ['a.example. 60 IN TXT "x y;(" "z z" "\\"" "\\"" "" ";" "A\\\\"'],
  },
  {
    name: "strings that touch",
    text: 'a 60 TXT "x""y"z"w"',
    expected: ['a.example. 60 IN TXT "x" "y" "z" "w"'],
  },
  {
    name: "a string of 255 octets",
    text: `a 60 TXT ${"x".repeat(255)}`,
    expected: [`a.example. 60 IN TXT "${"x".repeat(255)}"`],
  },
  {
    name: "an owner that looks like a TTL, a class or a type",
    text: "60 60 A 192.0.2.1\nIN 60 A 192.0.2.1\nA 60 A 192.0.2.1",
    expected: [
      "60.example. 60 IN A 192.0.2.1",
      "IN.example. 60 IN A 192.0.2.1",
      "A.example. 60 IN A 192.0.2.1",
    ],
  },
  {
    name: "unknown types and known ones in the form of RFC 3597",
    text: "a 60 TYPE65280 \\# 3 ab cd ( 01\n )\nb 60 TYPE65280 \\# 0\nc 60 A \\# 4 c0000201\nd 60 TYPE1 192.0.2.1",
    expected: [
      "a.example. 60 IN TYPE65280 \\# 3 ABCD01",
      "b.example. 60 IN TYPE65280 \\# 0",
      "c.example. 60 IN A 192.0.2.1",
      "d.example. 60 IN A 192.0.2.1",
    ],
  },
  {
    name: "$GENERATE with a step",
    text: "$GENERATE 1-5/2 h$ 60 IN A 192.0.2.$",
    expected: [1, 3, 5].map((each) => `h${each}.example. 60 IN A 192.0.2.${each}`),
  },
  {
    name: "$GENERATE with offset, width and base",
    text: `$TTL 60\n$generate 10-11 a\${-10}b\${6,4}c\${0,3,x}d\${90,0,X}e\${0,4,o} NS \${0,0,n}.\\$$$`,
    expected: [
      "a0b0016c00ad64e0012.example. 60 IN NS a.\\$\\$.example.",
      "a1b0017c00bd65e0013.example. 60 IN NS b.\\$\\$.example.",
    ],
  },
  {
    name: "$GENERATE with nibbles, whose width counts the dots",
    text: `$TTL 60\n$GENERATE 26-26 \${0,0,n}.\${0,5,n}.\${0,1,N} PTR x`,
    expected: ["a.1.a.1.0.A.1.example. 60 IN PTR x.example."],
  },
  {
    name: "$GENERATE with rdata of several tokens, and with rdata in one string",
    text: '$TTL 60\n$GENERATE 1-1 a MX $ m$\n$GENERATE 1-1 b MX "$ m$"\n$GENERATE 1-1 c CAA 0 issue "x $"',
    expected: [
      "a.example. 60 IN MX 1 m1.example.",
      "b.example. 60 IN MX 1 m1.example.",
      'c.example. 60 IN CAA 0 issue "x 1"',
    ],
  },
  { name: "an empty file", text: "", expected: [] },
  { name: "a file of comments", text: "; nothing\n\n  ; here\n", expected: [] },
];

/** What stands behind an owner, and the column in it and the message that are reported. */
export const broken = [
  ["A 999.1.1.1", "3: cannot read A record: not an IPv4 address, got 999.1.1.1"],
  ["A 192.0.2", "3: cannot read A record: not an IPv4 address, got 192.0.2"],
  ["A 010.0.0.1", "3: cannot read A record: not an IPv4 address, got 010.0.0.1"],
  ["A ::1", "3: cannot read A record: not an IPv4 address, got ::1"],
  ["AAAA 192.0.2.1", "6: cannot read AAAA record: not an IPv6 address, got 192.0.2.1"],
  ["AAAA fe80::1%eth0", "6: cannot read AAAA record: not an IPv6 address, got fe80::1%eth0"],
  ["A", "2: cannot read A record: the address is missing, got the end of the record"],
  ["A 192.0.2.1 x", "13: cannot read A record: nothing may follow the address, got x"],
  ['A "192.0.2.1"', "3: cannot read A record: the address stands in quotes, got 192.0.2.1"],
  ["NS a..b", "4: cannot read NS record: not a domain name: a label is empty, got a..b"],
  ["NS .a", "4: cannot read NS record: not a domain name: a label is empty, got .a"],
  [
    `NS ${"x".repeat(64)}`,
    `4: cannot read NS record: not a domain name: a label is longer than 63 octets, got ${"x".repeat(60)}...`,
  ],
  [
    `NS ${`${"x".repeat(49)}.`.repeat(5)}abc`,
    `4: cannot read NS record: not a domain name: it is longer than 255 octets, got ${"x".repeat(49)}.${"x".repeat(10)}...`,
  ],
  [
    "NS a\\256\xe9",
    "4: cannot read NS record: not a domain name: an escape is not \\X or \\000 to \\255, got a\\256\\233",
  ],
  ["MX 65536 a", "4: cannot read MX record: not a number from 0 to 65535, got 65536"],
  ["MX -1 a", "4: cannot read MX record: not a number from 0 to 65535, got -1"],
  ["MX a 10", "4: cannot read MX record: not a number from 0 to 65535, got a"],
  ["MX ( 10", "4: cannot read entry: no ) closes it, got ("],
  ["MX 10 )", "7: cannot read entry: no ( opens it, got )"],
  ['TXT "x', '5: cannot read string: no " closes it on its line, got "'],
  ["TXT", "4: cannot read TXT record: the text is missing, got the end of the record"],
  ["TXT a\\", "5: cannot read TXT record: an escape that is not \\X or \\000 to \\255, got a\\"],
  [
    "TXT \\256",
    "5: cannot read TXT record: an escape that is not \\X or \\000 to \\255, got \\256",
  ],
  [
    `TXT a ${"x".repeat(256)}`,
    `7: cannot read TXT record: a string longer than 255 octets, got ${"x".repeat(60)}...`,
  ],
  [
    "SOA a b 1 2 3 4",
    "16: cannot read SOA record: the minimum is missing, got the end of the record",
  ],
  ["SOA a b 1 2 3 4 1x", "17: cannot read SOA record: not a time such as 3600 or 1h30m, got 1x"],
  [
    "SOA a b 4294967296 2 3 4 5",
    "9: cannot read SOA record: not a number from 0 to 4294967295, got 4294967296",
  ],
  ["CNAM a", "1: cannot read record: not a known record type (did you mean CNAME?), got CNAM"],
  ["WIBBLE a", "1: cannot read record: not a known record type, got WIBBLE"],
  ["TYPE65536 \\# 0", "1: cannot read record: not a known record type, got TYPE65536"],
  ['"A" 192.0.2.1', "1: cannot read record: the type stands in quotes, got A"],
  ["ANY x", "1: cannot read record: no record may have this type, got ANY"],
  ["OPT \\# 0", "1: cannot read record: no record may have this type, got OPT"],
  [
    "TYPE65280 x",
    "11: cannot read TYPE65280 record: TYPE65280 is written as \\# length hex, got x",
  ],
  ["IN", "3: cannot read record: the type is missing, got the end of the record"],
  ["CH TXT x", "1: cannot read record: only class IN is served, got CH"],
  ["NONE A 192.0.2.1", "1: cannot read record: only class IN is served, got NONE"],
  [
    "1y A 192.0.2.1",
    "1: cannot read record: not a TTL such as 3600 or 1h30m, at most 2147483647 s, got 1y",
  ],
  [
    "1h30 A 192.0.2.1",
    "1: cannot read record: not a TTL such as 3600 or 1h30m, at most 2147483647 s, got 1h30",
  ],
  [
    "2147483648 A 192.0.2.1",
    "1: cannot read record: not a TTL such as 3600 or 1h30m, at most 2147483647 s, got 2147483648",
  ],
  [
    "A \\# 3 c00002",
    "8: cannot read A record: the octets do not fit the type: cannot read 4 octets: the end is nearer, got 3",
  ],
  [
    "A \\# 4 c00002",
    "6: cannot read A record: the length is not that of the hex, got 4 for 3 octets",
  ],
  ["A \\# 4 c00002zz", "8: cannot read A record: the rdata is not hex, got c00002zz"],
  ["A \\# x c00002", "6: cannot read A record: not a length from 0 to 65535, got x"],
  ["A \\#", "5: cannot read A record: not a length from 0 to 65535, got the end of the record"],
  ["DS 1 8 2", "9: cannot read DS record: the digest is missing, got the end of the record"],
  ["DS 1 8 2 ab c", "13: cannot read DS record: the digest has an odd number of digits, got c"],
  [
    "DS 1 RSASHA255 2 ab",
    "6: cannot read DS record: not a known DNSSEC algorithm (did you mean RSASHA256?), got RSASHA255",
  ],
  [
    "DNSKEY 1 3 8 AA= x",
    "18: cannot read DNSKEY record: the public key is not whole base64, got x",
  ],
  ["DNSKEY 1 3 8 A*A=", "14: cannot read DNSKEY record: the public key is not base64, got A*A="],
  ["NSEC a A BOGUS", "10: cannot read NSEC record: not a known record type, got BOGUS"],
  [
    "NSEC3PARAM 1 0 1 abc",
    "18: cannot read NSEC3PARAM record: not a salt in hex of at most 255 octets, or -, got abc",
  ],
  [
    "NSEC3 1 0 1 - w A",
    "15: cannot read NSEC3 record: not a hash of 1 to 255 octets in base32hex, got w",
  ],
  [
    "RRSIG A 8 1 60 20260230000000 1 1 a AA==",
    "16: cannot read RRSIG record: not a time as YYYYMMDDHHmmSS or in seconds since 1970, got 20260230000000",
  ],
  ["CAA 0 is-sue x", "7: cannot read CAA record: not a tag of letters and digits, got is-sue"],
  ["CAA 0 issue x y", "15: cannot read CAA record: nothing may follow the value, got y"],
  [
    "HTTPS 1 . prt=1",
    "11: cannot read HTTPS record: not a known parameter (did you mean port?), got prt",
  ],
] as const;

/** A whole line, and the column and the message that are reported. */
export const directives = [
  ["$TTL", "5: cannot read $TTL: the TTL is missing, got the end of the directive"],
  ["$TTL x", "6: cannot read $TTL: not a TTL such as 3600 or 1h30m, at most 2147483647 s, got x"],
  ["$TTL 60 60", "9: cannot read $TTL: nothing may follow here, got 60"],
  ["$ORIGIN", "8: cannot read $ORIGIN: the name is missing, got the end of the directive"],
  ["$ORIGIN a..", "9: cannot read $ORIGIN: not a domain name: a label is empty, got a.."],
  ["$ORIGIN a. b.", "12: cannot read $ORIGIN: nothing may follow here, got b."],
  ['$ORIGIN "a."', '9: cannot read $ORIGIN: a name stands in quotes, got "a."'],
  ["$INCLUDE", "9: cannot read $INCLUDE: the file is missing, got the end of the directive"],
  ["$INCLUDE nowhere", "10: cannot read $INCLUDE: no such file, got nowhere"],
  ['$INCLUDE ""', "10: cannot read $INCLUDE: not a file name, got "],
  ["$INCLUDE a b c", "14: cannot read $INCLUDE: nothing may follow here, got c"],
  ["$INCLUDE a ..", "12: cannot read $INCLUDE: not a domain name: a label is empty, got .."],
  [
    "$ORIGN a.",
    "1: cannot read directive: not a known directive (did you mean $ORIGIN?), got $ORIGN",
  ],
  ["$FOO", "1: cannot read directive: not a known directive, got $FOO"],
  ["$GENERATE", "10: cannot read $GENERATE: the range is missing, got the end of the directive"],
  ["$GENERATE x a A 1", "11: cannot read $GENERATE: not a range such as 1-100 or 1-100/2, got x"],
  [
    "$GENERATE 1-2/0 a A 1",
    "11: cannot read $GENERATE: not a range such as 1-100 or 1-100/2, got 1-2/0",
  ],
  ["$GENERATE 2-1 a A 1", "11: cannot read $GENERATE: the range ends before it starts, got 2-1"],
  ["$GENERATE 0-65536 a A 1", "11: cannot read $GENERATE: more than 65536 records, got 0-65536"],
  [
    "$GENERATE 1-2",
    "14: cannot read $GENERATE: the owner is missing, got the end of the directive",
  ],
  ["$GENERATE 1-2 a", "16: cannot read record: the type is missing, got the end of the record"],
  [
    "$GENERATE 1-2 a..$ 60 A 1",
    "15: cannot read $GENERATE: not a domain name: a label is empty, got a..1",
  ],
  [
    `$GENERATE 1-2 a 60 A 192.0.2.\${0,1`,
    `22: cannot read $GENERATE: not a modifier such as \${0,3,d}, got \${`,
  ],
  [
    `$GENERATE 1-2 a\${0,1,q} 60 A 192.0.2.1`,
    `15: cannot read $GENERATE: not a modifier such as \${0,3,d}, got \${0,1,q}`,
  ],
  [
    `$GENERATE 1-2 a\${-2} 60 A 192.0.2.1`,
    `15: cannot read $GENERATE: the offset leads out of 0 to 2147483647, got \${-2} for 1`,
  ],
  [
    "$GENERATE 255-300 a 60 A 192.0.2.$",
    "26: cannot read A record: not an IPv4 address, got 192.0.2.256",
  ],
] as const;

export const several = [
  {
    name: "every mistake of a file, in its order",
    text: `$TTL 60
@ A 1.2.3
  MX 10 ok
  MX x
$TLL 5
a..b A 192.0.2.1
"www" A 192.0.2.1
ok A 192.0.2.1
  TXT "open
  TXT ( a
    "b )
  AAAA ::1
x IN IN A 192.0.2.1`,
    expected: [
      "2:5: cannot read A record: not an IPv4 address, got 1.2.3",
      "4:6: cannot read MX record: not a number from 0 to 65535, got x",
      "5:1: cannot read directive: not a known directive (did you mean $TTL?), got $TLL",
      "6:1: cannot read owner: not a domain name: a label is empty, got a..b",
      '7:1: cannot read owner: a name stands in quotes, got "www"',
      '9:7: cannot read string: no " closes it on its line, got "',
      '11:5: cannot read string: no " closes it on its line, got "',
      "13:6: cannot read record: not a known record type, got IN",
    ],
    records: [
      "example. 60 IN MX 10 ok.example.",
      "ok.example. 60 IN A 192.0.2.1",
      "ok.example. 60 IN AAAA ::1",
    ],
  },
  {
    name: "an unclosed parenthesis, which hides nothing behind its line",
    text: "a 60 MX ( 10 ; (\n b\nc 60 MX ( 10\n d )\ne 60 A 1\nf 60 MX 10 (",
    expected: [
      "1:9: cannot read entry: no ) closes it, got (",
      "2:2: cannot read record: not a known record type, got b",
      "5:8: cannot read A record: not an IPv4 address, got 1",
      "6:12: cannot read entry: no ) closes it, got (",
    ],
    records: ["c.example. 60 IN MX 10 d.example."],
  },
  {
    name: "two mistakes of one entry",
    text: 'a 60 TXT ( "open\n ok ) )\nb 60 A 192.0.2.1',
    expected: [
      '1:12: cannot read string: no " closes it on its line, got "',
      "2:7: cannot read entry: no ( opens it, got )",
    ],
    records: ["b.example. 60 IN A 192.0.2.1"],
  },
  {
    name: "a blank owner at the start",
    text: " 60 A 192.0.2.1",
    expected: ["1:2: cannot read record: no owner stands here or before it, got 60"],
    records: [],
  },
  {
    name: "an unreadable owner once, and mistakes in the records that lean on it",
    text: "a 60 A 192.0.2.1\nb..c 60 A 192.0.2.2\n 60 A 192.0.2.3\n 60 A 1\nd 60 A 192.0.2.4",
    expected: [
      "2:1: cannot read owner: not a domain name: a label is empty, got b..c",
      "4:7: cannot read A record: not an IPv4 address, got 1",
    ],
    records: ["a.example. 60 IN A 192.0.2.1", "d.example. 60 IN A 192.0.2.4"],
  },
  {
    name: "no TTL anywhere",
    text: "a A 192.0.2.1\nb 60 A 192.0.2.2\nc A 192.0.2.3",
    expected: ["1:3: cannot read record: no TTL here, before it or by $TTL, got A"],
    records: ["b.example. 60 IN A 192.0.2.2", "c.example. 60 IN A 192.0.2.3"],
  },
];

export const includes = [
  {
    name: "origin and owner come back after it, the TTL stays",
    text: "a 60 TXT x\n$INCLUDE one sub\n TXT after\nb TXT after",
    files: { one: " TXT inherited\nin 90 TXT y\n$ORIGIN other.\nout TXT z" },
    records: [
      'a.example. 60 IN TXT "x"',
      'a.example. 60 IN TXT "inherited"',
      'in.sub.example. 90 IN TXT "y"',
      'out.other. 90 IN TXT "z"',
      'a.example. 90 IN TXT "after"',
      'b.example. 90 IN TXT "after"',
    ],
    problems: [],
  },
  {
    name: "without an origin it keeps the one that holds",
    text: "$ORIGIN sub\n$INCLUDE one",
    files: { one: "a 60 TXT x" },
    records: ['a.sub.example. 60 IN TXT "x"'],
    problems: [],
  },
  {
    name: "names in quotes and with escapes",
    text: '$INCLUDE "two words"\n$INCLUDE two\\ words\n$INCLUDE \\195\\169',
    files: { "two words": "a 60 TXT x", é: "b 60 TXT x" },
    records: ['a.example. 60 IN TXT "x"', 'a.example. 60 IN TXT "x"', 'b.example. 60 IN TXT "x"'],
    problems: [],
  },
  {
    name: "mistakes are reported in the file that has them",
    text: "a 60 A x\n$INCLUDE one\nb 60 A y",
    files: { one: "\nc 60 A z" },
    records: [],
    problems: [
      "1:8: cannot read A record: not an IPv4 address, got x",
      "one:2:8: cannot read A record: not an IPv4 address, got z",
      "3:8: cannot read A record: not an IPv4 address, got y",
    ],
  },
  {
    name: "a file that includes itself is reported",
    text: "$INCLUDE one\na 60 TXT x",
    files: { one: "$INCLUDE two", two: "b 60 TXT y\n$INCLUDE one" },
    records: ['b.example. 60 IN TXT "y"', 'a.example. 60 IN TXT "x"'],
    problems: ["two:2:10: cannot read $INCLUDE: the file includes itself, got one"],
  },
  {
    name: "the first file is part of a circle too",
    text: "$INCLUDE test.zone",
    files: { "test.zone": "$INCLUDE test.zone" },
    records: [],
    problems: ["1:10: cannot read $INCLUDE: the file includes itself, got test.zone"],
  },
  {
    name: "the depth has a limit",
    text: "$INCLUDE 1",
    files: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [String(at), `$INCLUDE ${at + 1}\na${at} 60 TXT x`]),
    ),
    records: Array.from({ length: 10 }, (_, at) => `a${10 - at}.example. 60 IN TXT "x"`),
    problems: ["10:1:10: cannot read $INCLUDE: files include files over 10 deep, got 11"],
  },
];

export const origins = [
  {
    name: "the $ORIGIN that opens the file",
    text: "; x\n\n$ORIGIN a.b.\n$ORIGIN c.",
    given: "",
    expected: "a.b.",
  },
  {
    name: "the given one where the file opens otherwise",
    text: "$TTL 1\n$ORIGIN a.",
    given: "g.",
    expected: "g.",
  },
  { name: "the file's own before the given one", text: "$ORIGIN a.", given: "g.", expected: "a." },
  {
    name: "the file's own, completed by the given one",
    text: "$ORIGIN a",
    given: "g.",
    expected: "a.g.",
  },
  { name: "nothing where there is none", text: "", given: "", expected: undefined },
];
