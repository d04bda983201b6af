import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '@holdfast/foundation'
import { optionInvalid } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { defaultMail } from './default-mails.ts'
import { htmlToText } from './html-to-text.ts'
import type { InvitationKind, MailKind, NoticeKind, RenderedMail, TemplateKind } from './messages.ts'
import { NOTICE_KINDS, NOTICE_OPTIONS } from './notices.ts'
import { compileTemplate, type Template, type TemplateValues } from './template/compile-template.ts'
import { TemplateError } from './template/parse-expression.ts'

/** A template in force, and where its parts come from. */
export interface MailTemplate {
  readonly render: (values: TemplateValues) => RenderedMail
  /** Sources of subject and HTML before values are filled in. */
  readonly subject: string
  readonly html: string
  readonly subjectOption: string
  readonly hasOwnSubject: boolean
  readonly contentOption: string
  /** Absolute path of the project's HTML file; `undefined` if the HTML is built in. */
  readonly file: string | undefined
}

export type MailTemplates = Readonly<Record<TemplateKind, MailTemplate>>

/**
 * Compiles the templates of all mail kinds: the project's subject or file where configured, otherwise the default. Files are read once;
 * relative paths start at the working directory.
 *
 * @throws {HoldfastError} `option_invalid` with file and line for an invalid template
 */
export function loadMailTemplates(options: AuthOptions): MailTemplates {
  const mails = MAIL_KINDS.map((kind) => {
    const prefix = `emailTemplate${MAIL_OPTIONS[kind]}` as const
    return [kind, load(options, kind, prefix)] as const
  })
  const notices = NOTICE_KINDS.map((kind) => {
    const prefix = `emailNotification${NOTICE_OPTIONS[kind]}` as const
    return [kind, load(options, kind, prefix)] as const
  })
  return Object.fromEntries([...mails, ...notices]) as MailTemplates
}

/** Part of the option names per mail kind. */
const MAIL_OPTIONS = {
  confirmation: 'Confirmation',
  recovery: 'Recovery',
  magic_link: 'MagicLink',
  invite: 'Invite',
  email_change: 'EmailChange',
  reauthentication: 'Reauthentication',
  workspace_invitation: 'WorkspaceInvitation',
} as const satisfies Readonly<Record<MailKind | InvitationKind, string>>

const MAIL_KINDS = Object.keys(MAIL_OPTIONS) as readonly (MailKind | InvitationKind)[]

type OptionPrefix =
  | `emailTemplate${(typeof MAIL_OPTIONS)[MailKind | InvitationKind]}`
  | `emailNotification${(typeof NOTICE_OPTIONS)[NoticeKind]}`

function load(options: AuthOptions, kind: TemplateKind, prefix: OptionPrefix): MailTemplate {
  const standard = defaultMail(kind)
  const path = options[`${prefix}ContentPath`]
  const ownSubject = options[`${prefix}Subject`]
  const file = path ? resolve(path) : undefined
  const subject = ownSubject || standard.subject
  const html = file === undefined ? standard.html : readTemplate(`${prefix}ContentPath`, file)
  const renderSubject = compile(`${prefix}Subject`, 'text', subject)
  const renderHtml = compile(`${prefix}ContentPath`, 'html', html, file)
  const renderText = file === undefined ? compileTemplate(standard.text, 'text') : undefined
  return {
    subject,
    html,
    subjectOption: `${prefix}Subject`,
    hasOwnSubject: Boolean(ownSubject),
    contentOption: `${prefix}ContentPath`,
    file,
    render(values) {
      const rendered = renderHtml(values)
      return {
        subject: renderSubject(values).replaceAll(/\s+/g, ' ').trim(),
        html: rendered,
        text: renderText?.(values) ?? htmlToText(rendered),
      }
    },
  }
}

/** @throws {HoldfastError} `option_invalid` */
export function compile(option: string, format: 'html' | 'text', source: string, file?: string): Template {
  try {
    return compileTemplate(source, format)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw optionInvalid(option, `${file ?? 'template'}:${error.line}: ${error.message}`, error)
  }
}

/** @throws {HoldfastError} `option_invalid` */
function readTemplate(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw optionInvalid(option, `${file} cannot be read: ${errorMessage(error)}`, error)
  }
}
