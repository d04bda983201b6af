import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPsqlPieces } from './psql-pieces.ts'

const read = (text: string): readonly (string | readonly [string, string])[] =>
  readPsqlPieces(text, 'a.sql').map(({ sql, rows }) => (rows === undefined ? sql : [sql, rows]))

test.each<readonly [string, string, ReturnType<typeof read>]>([
  ['no file at all', '', []],
  ['SQL alone', 'select 1;\nselect 2;\n', ['select 1;\nselect 2;\n']],
  [
    'rows between statements',
    'select 1;\nCOPY t (a, "b;") FROM stdin;\n1\t\\N\n;\n\\.\n\nselect 2;',
    ['select 1;', ['\nCOPY t (a, "b;") FROM stdin', '1\t\\N\n;\n'], '\nselect 2;'],
  ],
  ['rows until the end of the file', 'copy t from stdin;\n1\n2\n', [['copy t from stdin', '1\n2\n']]],
  [
    'rows of lines that end with CR LF',
    'copy t from stdin;\r\n1\r\n\\.\r\nselect 1',
    [['copy t from stdin', '1\r\n'], 'select 1'],
  ],
  ['no rows', 'copy t from stdin with (format csv);\n\\.\n', [['copy t from stdin with (format csv)', '']]],
  [
    'what pg_dump puts around a dump',
    '\\restrict Ab1\nselect 1;\n\\unrestrict Ab1\n',
    ['             \nselect 1;\n               \n'],
  ],
  ['rows behind a command', '\\restrict a\ncopy t from stdin;\n1\n', [['           \ncopy t from stdin', '1\n']]],
  ['a COPY to the client, which is none', 'copy t to stdout;\nselect 1', ['copy t to stdout;\nselect 1']],
  ...[
    `select ';copy t from stdin;\n\\x'`,
    `select E'\\';copy t from stdin;'`,
    `select "a\\b;"`,
    `do $a$ begin perform '\\d;'; end $a$;`,
    `create function f() returns text language sql as $$ select '\\'; $$;`,
    '-- copy t from stdin; \\d',
    `/* a /* \\ */ ;copy t from stdin; */ select 1`,
    `select a$b$c, $1 from t where d = 'e'';\\' ;`,
    `select nameE'\\' ;`,
  ].map((text) => [`${text} as it is`, text, [text]] as const),
])('reads %s', (_, text, pieces) => {
  expect(read(text)).toEqual(pieces)
})

test.each([
  ['\\i other.sql', 'select 1;\n\\i other.sql', 'a.sql, line 2: \\i is a command of psql, which is not read here.'],
  ['a command behind a statement', 'select 1 \\gexec', 'a.sql, line 1: \\gexec is a command of psql'],
  ['a line of rows with no COPY before it', 'select 1;\n\\.\n', 'a.sql, line 2: \\. is a command of psql'],
  [
    'a statement in the line of a COPY',
    '\ncopy t from stdin; select 1;\n1\n',
    'a.sql, line 2: more follows COPY in its line.',
  ],
])('refuses %s with its line', (_, text, message) => {
  expect(() => readPsqlPieces(text, 'a.sql')).toThrow(message)
})

test('all pieces together are the file, and each says its line', () => {
  const part = fc.constantFrom(
    'select 1;',
    '\n',
    "select 'a;' ;",
    'do $$;\\$$;',
    'copy t from stdin;\n1\t;\n\\.\n',
    '\\restrict a\n',
    '-- ;\n',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const pieces = readPsqlPieces(text, 'a.sql')
      expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      let before = ''
      for (const piece of pieces) {
        expect(piece.line).toBe(before.split('\n').length)
        before += piece.text
      }
    }),
  )
})
