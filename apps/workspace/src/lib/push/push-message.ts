import { parseJson } from '@holdfast/protocol'
import * as v from 'valibot'
import { pushMessages as german } from '../../messages/de/push.ts'
import { pushMessages as english } from '../../messages/push.ts'

const text = v.optional(v.string())
const schema = v.variant('kind', [
  v.object({ kind: v.literal('several'), count: v.number(), path: v.string() }),
  v.object({
    kind: v.picklist(['mention', 'reply', 'assigned']),
    who: text,
    title: text,
    text,
    path: v.string(),
  }),
  v.object({ kind: v.literal('notice'), title: text, text, path: v.string() }),
])

/** A notification as displayed. */
export interface ShownNotification {
  readonly title: string
  readonly body: string
  /** Replaces a displayed one: at most one per record. */
  readonly tag: string
  /** A path of the app. */
  readonly path: string
}

/** Renders a server message in an app language. An unknown message still produces a notification, because browsers require one per push. */
export function shownNotification(message: string | undefined, language: string): ShownNotification {
  const words = language.startsWith('de') ? german : english
  const { success, output } = v.safeParse(schema, parseJson(message ?? ''))
  if (!success || !/^\/w\/[^/\\]/.test(output.path))
    return { title: words.somethingNew, body: '', tag: 'inbox', path: '/' }
  const { path } = output
  if (output.kind === 'several') return { title: words.several(output.count), body: '', tag: 'inbox', path }
  if (output.kind === 'notice') {
    const { title = words.somethingNew, text: body = '' } = output
    return { title, body, tag: `${path} ${title}`, path }
  }
  const did = words[output.kind](output.who ?? words.someone)
  return {
    title: output.title ?? did,
    body: [...(output.title === undefined ? [] : [did]), ...(output.text === undefined ? [] : [output.text])].join(
      '\n',
    ),
    tag: path,
    path,
  }
}
