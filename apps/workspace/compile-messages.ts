import { type Plugin, type Rolldown } from 'vite'

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number }

/** The formatter treats an empty text for a number as missing and uses that of `other` instead. */
const EMPTY_NUMBER = /(=\d+|\b(?:zero|one|two|few|many))\s*\{\}/

/**
 * Compiles the ICU messages of `icu('…', { … })` to functions, so that the app needs no parser for them.
 * Fails for an unparsable message, a missing plural form, and a value that the call does not pass.
 */
export function compileMessages(): Plugin {
  return {
    name: 'compile-messages',
    transform: {
      filter: { id: /\/apps\/workspace\/src\/messages\/[^?]*\.ts$/, code: /\bicu\(/ },
      async handler(this: Rolldown.TransformPluginContext, code) {
        const { compileString } = (await import('@internationalized/string-compiler')).default
        const parts: string[] = []
        let done = 0
        for (const { message, values } of findCalls(this.parse(code) as unknown as Node)) {
          const text = String(message['value'])
          if (EMPTY_NUMBER.test(text))
            this.error(`The message "${text}" has an empty text for a number: write two messages`)
          const compiled = compileString(text)
          const given = namesOf(values)
          for (const [, name = ''] of compiled.matchAll(/\bargs\.(\w+)/g)) {
            if (!given.has(name)) this.error(`The message "${text}" is given no "${name}"`)
          }
          parts.push(code.slice(done, message.start), compiled)
          done = message.end
        }
        return { code: parts.join('') + code.slice(done), map: null }
      },
    },
  }
}

interface Call {
  readonly message: Node
  readonly values: Node | undefined
}

/** Returns the calls of `icu` in source order. */
function findCalls(node: Node): readonly Call[] {
  const inside = Object.values(node)
    .flat()
    .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child)
    .flatMap(findCalls)
  const { callee, arguments: given } = node as { readonly callee?: Node; readonly arguments?: readonly Node[] }
  if (node.type !== 'CallExpression' || callee?.['name'] !== 'icu') return inside
  const message = given?.[0]
  if (message?.type !== 'Literal') throw new Error('The first argument of icu() is a literal: the build compiles it')
  return [{ message, values: given?.[1] }, ...inside].toSorted((a, b) => a.message.start - b.message.start)
}

function namesOf(values: Node | undefined): ReadonlySet<unknown> {
  const properties = (values?.['properties'] ?? []) as readonly { readonly key: Node }[]
  return new Set(properties.map(({ key }) => key['name'] ?? key['value']))
}
