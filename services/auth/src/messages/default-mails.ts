import type { TemplateKind } from './messages.ts'

/** A default mail template. A project can replace each one. */
export interface MailSource {
  readonly subject: string
  readonly html: string
  readonly text: string
}

interface Wording {
  readonly subject: string
  readonly title: string
  readonly lead: string
  /** Label of the button, if the mail has a link. */
  readonly button: string | undefined
  /** Advice if the mail was not requested. */
  readonly unasked: string
}

const NOT_YOU = 'If that was not you, choose a new password and tell the people who run {{ .ProjectName }} at once.'

const WORDINGS: Readonly<Record<TemplateKind, Wording>> = {
  confirmation: {
    subject: 'Confirm your email address',
    title: 'Confirm your email address',
    lead: 'One step is left to finish signing up to {{ .ProjectName }} as {{ .Email }}.',
    button: 'Confirm email address',
    unasked: 'If you did not sign up, ignore this mail: without the confirmation no one can use your address.',
  },
  recovery: {
    subject: 'Reset your password',
    title: 'Reset your password',
    lead: 'A new password for {{ .Email }} was asked for at {{ .ProjectName }}.',
    button: 'Choose a new password',
    unasked: 'If that was not you, ignore this mail: your password stays as it is.',
  },
  magic_link: {
    subject: 'Your sign-in link',
    title: 'Sign in to {{ .ProjectName }}',
    lead: 'Use the button, or type the code where you asked to sign in as {{ .Email }}.',
    button: 'Sign in',
    unasked: 'If you did not ask to sign in, ignore this mail, and give the code to no one.',
  },
  invite: {
    subject: 'You have been invited',
    title: 'You are invited to {{ .ProjectName }}',
    lead: 'An account has been made for {{ .Email }}. Accept, and it is yours.',
    button: 'Accept the invitation',
    unasked: 'If you do not know what this is about, ignore this mail.',
  },
  email_change: {
    subject: 'Confirm the change of your email address',
    title: 'Confirm the new email address',
    lead:
      'The address of your account at {{ .ProjectName }} is to change{{ if .Email }} from {{ .Email }}{{ end }} to {{ .NewEmail }}. ' +
      'If both addresses get a mail, confirm in both.',
    button: 'Confirm the change',
    unasked: 'If you did not ask for this, do not confirm, and change your password: another person may know it.',
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    title: 'Your verification code',
    lead: 'Type this code at {{ .ProjectName }} to go on with what you are changing.',
    button: undefined,
    unasked: 'If you are not changing anything, give the code to no one, and change your password.',
  },
  workspace_invitation: {
    subject: '{{ if .Inviter }}{{ .Inviter }} invites you{{ else }}You are invited{{ end }} to {{ .Workspace }}',
    title: 'You are invited to {{ .Workspace }}',
    lead:
      '{{ if .Inviter }}{{ .Inviter }} invites you{{ else }}You are invited{{ end }} to work together in {{ .Workspace }}' +
      '{{ if .Team }}, in the team {{ .Team }}{{ end }}.{{ if .Message }} The message with it: “{{ .Message }}”{{ end }}',
    button: 'Open the invitation',
    unasked:
      'The invitation is for {{ .SendingTo }} only, and good until {{ .ExpiresOn }}. ' +
      'If you do not know what this is about, ignore this mail: nothing happens unless you accept.',
  },
  password_changed_notification: {
    subject: 'Your password was changed',
    title: 'Your password was changed',
    lead: 'The password of {{ .Email }} at {{ .ProjectName }} was changed, and every other session was signed out.',
    button: undefined,
    unasked: NOT_YOU,
  },
  email_changed_notification: {
    subject: 'Your email address was changed',
    title: 'Your email address was changed',
    lead: 'The address of your account at {{ .ProjectName }} was changed from {{ .OldEmail }} to {{ .Email }}.',
    button: undefined,
    unasked:
      'If that was not you, tell the people who run {{ .ProjectName }} at once: your account has another address now.',
  },
  phone_changed_notification: {
    subject: 'Your phone number was changed',
    title: 'Your phone number was changed',
    lead: 'The phone number of {{ .Email }} at {{ .ProjectName }} was changed from {{ .OldPhone }} to {{ .Phone }}.',
    button: undefined,
    unasked: NOT_YOU,
  },
  identity_linked_notification: {
    subject: 'A new sign-in method was linked to your account',
    title: 'A new sign-in method was linked to your account',
    lead: '{{ .Provider }} was linked as a new sign-in method of {{ .Email }} at {{ .ProjectName }}.',
    button: undefined,
    unasked: NOT_YOU,
  },
  identity_unlinked_notification: {
    subject: 'A sign-in method was removed from your account',
    title: 'A sign-in method was removed from your account',
    lead: '{{ .Provider }} was removed as a sign-in method of {{ .Email }} at {{ .ProjectName }}.',
    button: undefined,
    unasked: NOT_YOU,
  },
  mfa_factor_enrolled_notification: {
    subject: 'A new verification method was added to your account',
    title: 'A new verification method was added to your account',
    lead: 'The verification method {{ .FactorType }} was added to {{ .Email }} at {{ .ProjectName }}.',
    button: undefined,
    unasked: NOT_YOU,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'A verification method was removed from your account',
    title: 'A verification method was removed from your account',
    lead: 'The verification method {{ .FactorType }} was removed from {{ .Email }} at {{ .ProjectName }}.',
    button: undefined,
    unasked: NOT_YOU,
  },
}

/** Returns the default mail of a kind: HTML for light and dark mode, with one button and the code in large type, and plain text. */
export function defaultMail(kind: TemplateKind): MailSource {
  const wording = WORDINGS[kind]
  return { subject: wording.subject, html: renderHtml(wording), text: renderText(wording) }
}

const LIFE = '{{ if .ExpiryMinutes }}Good once, and for {{ .ExpiryMinutes }} minutes.{{ end }}'

function renderText({ title, lead, button, unasked }: Wording): string {
  const link = button === undefined ? '' : `{{ if .ConfirmPageURL }}${button}:\n{{ .ConfirmPageURL }}\n\n{{ end }}`
  const code = '{{ if .Token }}Code: {{ .Token }}\n\n{{ end }}'
  return `${title}\n\n${lead}\n\n${link}${code}${LIFE}\n${unasked}\n\n{{ .ProjectName }}\n{{ .SiteURL }}\n`
}

/** Mail clients need tables and attributes. The style sheet is only for those that support dark mode. */
function renderHtml({ title, lead, button, unasked }: Wording): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="supported-color-schemes" content="light dark">
    <title>${title}</title>
    <style>
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
        .page { background: #101418 !important; }
        .card { background: #1a2027 !important; border-color: #2c353f !important; }
        .text { color: #e6ebf0 !important; }
        .quiet { color: #9aa7b4 !important; }
        .code { background: #101418 !important; border-color: #2c353f !important; color: #ffffff !important; }
        .button { background: #3d8bfd !important; color: #06121f !important; }
      }
    </style>
  </head>
  <body class="page" style="margin:0;padding:0;background:#f3f5f7;">
    <div style="display:none;max-height:0;overflow:hidden;">${lead}</div>
    <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f7;">
      <tr>
        <td align="center" style="padding:32px 16px;">
          <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border:1px solid #dfe4ea;border-radius:12px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;">
            <tr>
              <td style="padding:32px;">
                <p class="quiet" style="margin:0 0 16px;font-size:14px;line-height:20px;color:#5b6875;">{{ .ProjectName }}</p>
                <h1 class="text" style="margin:0 0 12px;font-size:22px;line-height:28px;font-weight:650;color:#161c23;">${title}</h1>
                <p class="text" style="margin:0 0 24px;font-size:16px;line-height:24px;color:#161c23;">${lead}</p>${renderButton(button)}
                {{- if .Token }}${button === undefined ? '' : OR_THE_CODE}
                <p class="code" style="margin:0 0 24px;padding:16px;border:1px solid #dfe4ea;border-radius:8px;background:#f3f5f7;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:30px;line-height:36px;letter-spacing:6px;text-align:center;color:#161c23;">{{ .Token }}</p>
                {{- end }}
                <p class="quiet" style="margin:0;font-size:14px;line-height:20px;color:#5b6875;">${LIFE} ${unasked}</p>
              </td>
            </tr>
          </table>
          <p class="quiet" style="margin:16px 0 0;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:13px;line-height:18px;"><a class="quiet" href="{{ .SiteURL }}" style="color:#5b6875;">{{ .SiteURL }}</a></p>
        </td>
      </tr>
    </table>
  </body>
</html>
`
}

const OR_THE_CODE = `
                <p class="quiet" style="margin:0 0 8px;font-size:14px;line-height:20px;color:#5b6875;">Or type this code where you were asked for it:</p>`

function renderButton(label: string | undefined): string {
  if (label === undefined) return ''
  return `
                {{- if .ConfirmPageURL }}
                <p style="margin:0 0 24px;"><a class="button" href="{{ .ConfirmPageURL }}" style="display:block;padding:14px 20px;border-radius:8px;background:#1757c2;color:#ffffff;font-size:16px;line-height:20px;font-weight:600;text-align:center;text-decoration:none;">${label}</a></p>
                {{- end }}`
}
