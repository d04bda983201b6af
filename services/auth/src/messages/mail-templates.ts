import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '@holdfast/foundation'
import type { AuthOptions } from '../options/auth-options.ts'
import { optionInvalid } from '../options/option-invalid.ts'
import { defaultMail } from './default-mails.ts'
import { htmlToText } from './html-to-text.ts'
import type { MailKind } from './messages.ts'
import { compileTemplate, type Template, type TemplateValues } from './template/compile-template.ts'
import { TemplateError } from './template/parse-expression.ts'

/** A mail as it is read. */
export interface RenderedMail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

export type MailTemplates = Readonly<Record<MailKind, (values: TemplateValues) => RenderedMail>>

/**
 * Compiles the templates of all kinds of mail: those of the project where it names a subject or a file, else ours. Files are read once, here; a relative
 * path is relative to the working directory.
 *
 * @throws {HoldfastError} `option_invalid`, with file and line, for a template that cannot be read
 */
export function loadMailTemplates(options: AuthOptions): MailTemplates {
  const load = (kind: MailKind, name: string, subject: string | undefined, path: string | undefined) => {
    const standard = defaultMail(kind)
    const subjectOption = `emailTemplate${name}Subject`
    const renderSubject = compile(subjectOption, 'text', subject || standard.subject)
    const custom = path ? compileFile(`emailTemplate${name}ContentPath`, path) : undefined
    const renderHtml = custom ?? compileTemplate(standard.html, 'html')
    const renderText = custom ? undefined : compileTemplate(standard.text, 'text')
    return (values: TemplateValues): RenderedMail => {
      const html = renderHtml(values)
      return {
        subject: renderSubject(values).replaceAll(/\s+/g, ' ').trim(),
        html,
        text: renderText?.(values) ?? htmlToText(html),
      }
    }
  }
  const o = options
  return {
    confirmation: load(
      'confirmation',
      'Confirmation',
      o.emailTemplateConfirmationSubject,
      o.emailTemplateConfirmationContentPath,
    ),
    recovery: load('recovery', 'Recovery', o.emailTemplateRecoverySubject, o.emailTemplateRecoveryContentPath),
    magic_link: load('magic_link', 'MagicLink', o.emailTemplateMagicLinkSubject, o.emailTemplateMagicLinkContentPath),
    invite: load('invite', 'Invite', o.emailTemplateInviteSubject, o.emailTemplateInviteContentPath),
    email_change: load(
      'email_change',
      'EmailChange',
      o.emailTemplateEmailChangeSubject,
      o.emailTemplateEmailChangeContentPath,
    ),
    reauthentication: load(
      'reauthentication',
      'Reauthentication',
      o.emailTemplateReauthenticationSubject,
      o.emailTemplateReauthenticationContentPath,
    ),
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

function compileFile(option: string, path: string): Template {
  const file = resolve(path)
  try {
    return compile(option, 'html', readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw optionInvalid(option, `${file} cannot be read: ${errorMessage(error)}`, error)
    }
    throw error
  }
}
