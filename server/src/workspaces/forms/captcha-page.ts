import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import type { CaptchaProvider } from '@holdfast/auth'
import { escapeHtml } from '../../digest/render-digest.ts'

interface Widget {
  readonly script: string
  /** Sources of its scripts, frames, styles and requests, as its documentation lists them. */
  readonly sources: string
  /** Name of its global. */
  readonly global: string
}

const WIDGETS: Readonly<Record<CaptchaProvider['name'], Widget>> = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=holdfastReady',
    sources: 'https://challenges.cloudflare.com',
    global: 'turnstile',
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js?render=explicit&onload=holdfastReady&recaptchacompat=off',
    sources: 'https://hcaptcha.com https://*.hcaptcha.com',
    global: 'hcaptcha',
  },
}

const STYLE = 'html,body{margin:0;padding:0;background:transparent;color-scheme:light dark}'

/** Tells the page around the frame what happens: `{captcha: 'loaded' | 'failed' | 'opened' | 'closed' | 'passed', token?}`. */
const SCRIPT = `'use strict';
const {key,name,theme,lang}=document.currentScript.dataset;
const tell=(captcha,token)=>parent.postMessage({captcha,token},location.origin);
window.holdfastReady=()=>{try{window[name].render(document.getElementById('widget'),{sitekey:key,theme,language:lang,hl:lang,callback:t=>tell('passed',t),
'error-callback':()=>{tell('failed')},'expired-callback':()=>tell('loaded'),'open-callback':()=>tell('opened'),'close-callback':()=>tell('closed')});tell('loaded')}catch{tell('failed')}};
addEventListener('error',e=>{if(e.target!==window)tell('failed')},true);`

const HASHES = { style: hashOf(STYLE), script: hashOf(SCRIPT) }

/**
 * `GET /app/v1/captcha`: the provider's widget, for a frame in the app's pages: only this page may load from the provider, and no script of the provider
 * runs in a page of the app. `?theme=dark&lang=de` choose how it looks.
 */
export function captchaPage({
  provider,
  siteKey,
}: {
  readonly provider: CaptchaProvider['name']
  readonly siteKey: string
}): FastifyPluginAsync {
  const { script, sources, global } = WIDGETS[provider]
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    // Only the origin: the address of the page around it is the secret of its form.
    'referrer-policy': 'origin',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${HASHES.script} ${sources}`,
      `frame-src ${sources}`,
      `style-src ${HASHES.style} ${sources}`,
      `connect-src ${sources}`,
      `img-src ${sources} data:`,
      "frame-ancestors 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  }
  return async (app) => {
    app.get<{ Querystring: { theme?: string; lang?: string } }>('/app/v1/captcha', async (request, reply) => {
      const theme = request.query.theme === 'dark' ? 'dark' : 'light'
      const lang = request.query.lang === 'de' ? 'de' : 'en'
      const data = { key: siteKey, name: global, theme, lang }
      const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
      return reply
        .headers(headers)
        .send(
          `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Captcha</title><style>${STYLE}</style></head>` +
            `<body><div id="widget"></div><script ${attributes.join(' ')}>${SCRIPT}</script><script src="${escapeHtml(script)}" async></script></body></html>`,
        )
    })
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
