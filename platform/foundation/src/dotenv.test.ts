import { describe, expect, test } from 'vitest'
import { parseDotenv } from './dotenv.ts'

describe('a file as of dotenv', () => {
  test.each([
    ['plain', 'A=plain', 'plain'],
    ['a number sign within a value', 'A=pass#word', 'pass#word'],
    ['a number sign that begins one', 'A=#c0ffee', '#c0ffee'],
    ['a comment behind a value', 'A=a b # comment', 'a b'],
    ['a comment instead of a value', 'A= # comment', ''],
    ['nothing', 'A=', ''],
    ['spaces', '  A = a  ', 'a'],
    ['export', 'export A=a', 'a'],
    ['a colon', 'A: a', 'a'],
    ['a byte order mark', '\uFEFFA=a', 'a'],
    ['line breaks of Windows', 'A=a\r\nB=b\r\n', 'a'],
    ['single quotes', `A='a "$B" \\n' # comment`, 'a "$B" \\n'],
    ['backquotes', 'A=`it\'s "a"`', 'it\'s "a"'],
    ['JSON in double quotes', 'A="{\\"key\\":\\"a\\\\nb\\"}"', '{"key":"a\\nb"}'],
    ['JSON without quotes', 'A={"key":"a\\nb"}', '{"key":"a\\nb"}'],
    ['a line break that is escaped', 'A="a\\nb"', 'a\nb'],
    ['a line break in quotes', 'A="a\nB=b"', 'a\nB=b'],
    ['an escape that is none', 'A="\\d"', '\\d'],
    ['a quote that does not end', 'A="a\nB=b', '"a'],
    ['a variable that stands before it', 'B=b\nA=x${B}y$B', 'xbyb'],
    ['the same in double quotes', 'B=b\nA="$B \\$B"', 'b $B'],
    ['one that does not', 'A=a$B${C}$$', 'a$B${C}$$'],
    ['the last of several', 'A=a\nA=b', 'b'],
  ])('reads %s', (_, text, value) => expect(parseDotenv(text)['A']).toBe(value))

  test('has what stands behind a value that was quoted', () => {
    expect(parseDotenv('# a\n\nA="a" and more\nno variable\nB=b')).toEqual({ A: 'a', B: 'b' })
  })
})
