import { describe, expect, test } from 'vitest'
import { compileTemplate } from './compile-template.ts'
import { TemplateError } from './parse-expression.ts'

const VALUES = {
  Email: `o'hara+<b>@example.org`,
  Token: '123456',
  RedirectTo: 'https://app.example/welcome?a=1&b=2',
  Data: { name: 'Mina', language: 'de', address: { city: 'Bern' }, zero: 0, tags: [] },
}

const html = (source: string): string => compileTemplate(source, 'html')(VALUES)
const text = (source: string): string => compileTemplate(source, 'text')(VALUES)

describe('a template', () => {
  test.each([
    ['{{ .Token }}', '123456'],
    ['{{.Token}}', '123456'],
    ['Dear {{ .Data.name }} of {{ .Data.address.city }}', 'Dear Mina of Bern'],
    ['<{{ .Nothing }}{{ .Data.nothing.at.all }}>', '<>'],
    ['{{ .constructor }}{{ .Data.toString }}', ''],
    ['a {{- .Token -}} b', 'a123456b'],
    ['a{{/* a\ncomment */}}b', 'ab'],
    ['{{ if .Data.name }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .Data.zero }}yes{{ else }}no{{ end }}', 'no'],
    ['{{ if .Data.tags }}yes{{ end }}', ''],
    [
      '{{ if eq .Data.language "fr" }}Salut{{ else if eq .Data.language "de" "at" }}Hallo{{ else }}Hi{{ end }}',
      'Hallo',
    ],
    ['{{ if and .Data.name (not .Data.zero) (ne .Token "") }}{{ if or .X .Token }}x{{ end }}{{ end }}', 'x'],
    ['{{ if and .Data.nothing .Token }}yes{{ else }}no{{ end }}', 'no'],
    ['{{ .Data.address | urlquery }}', '%7B%22city%22%3A%22Bern%22%7D'],
    ['{{ "quoted \\"text\\"" }} {{ `raw` }} {{ 12 }}', 'quoted "text" raw 12'],
  ])('fills in %j', (source, expected) => {
    expect(text(source)).toBe(expected)
  })

  test('escapes what it puts into HTML', () => {
    expect(html('<p title="{{ .Email }}">{{ .Email }}</p>')).toBe(
      '<p title="o&#39;hara+&lt;b&gt;@example.org">o&#39;hara+&lt;b&gt;@example.org</p>',
    )
  })

  test('encodes what stands behind the question mark of an address, and nothing before it', () => {
    expect(html('<a href="{{ .RedirectTo }}">')).toBe('<a href="https://app.example/welcome?a=1&amp;b=2">')
    expect(html(`<a class="x" href='https://x.example/{{ .Token }}?next={{ .RedirectTo }}&amp;t={{ .Token }}'>`)).toBe(
      `<a class="x" href='https://x.example/123456?next=https%3A%2F%2Fapp.example%2Fwelcome%3Fa%3D1%26b%3D2&amp;t=123456'>`,
    )
    expect(html('<a href="https://x.example/?q">Is it {{ .RedirectTo }}?</a>')).toContain('>Is it https://app')
  })

  test.each([
    ['one\ntwo {{ .Token', 2, '{{ without }}'],
    ['\n\n{{ }}', 3, 'nothing between'],
    ['{{ if .Token }}\nx', 1, 'without {{ end }}'],
    ['x\n{{ end }}', 2, 'unexpected {{ end }}'],
    ['{{ if .A }}{{ else }}\n{{ else }}{{ end }}', 2, 'unexpected {{ else }}'],
    ['\n{{ range .Data }}{{ end }}', 2, 'not supported'],
    ['\n{{ lower .Email }}', 2, 'function lower is not defined'],
    ['{{ Token }}', 1, 'function Token is not defined'],
    ['{{ .Token .Email }}', 1, 'cannot read'],
    ['{{ eq .Token }}', 1, 'wrong number of arguments'],
    ['{{ $x := .Token }}', 1, 'cannot read'],
    ['{{ (.Token }}', 1, '( without )'],
    ['{{ .Token | .Email }}', 1, 'only a function'],
  ])('refuses %j in line %i', (source, line, message) => {
    const error = thrownBy(() => compileTemplate(source, 'html'))
    expect(error).toBeInstanceOf(TemplateError)
    expect(error).toMatchObject({ line, message: expect.stringContaining(message) as string })
  })
})

function thrownBy(body: () => unknown): unknown {
  try {
    body()
  } catch (error) {
    return error
  }
  return undefined
}
