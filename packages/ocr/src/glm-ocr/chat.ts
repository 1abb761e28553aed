import { GalleyError } from '@galley/contract';
import * as z from 'zod/mini';
import { parseAnswer } from './answer.ts';

/** What the model can be asked for, each by the words it was trained with. */
export const GLM_OCR_TASKS = ['text', 'table', 'formula'] as const;
export type GlmOcrTask = (typeof GLM_OCR_TASKS)[number];

const PROMPTS: Readonly<Record<GlmOcrTask, string>> = {
  text: 'Text Recognition:',
  table: 'Table Recognition:',
  formula: 'Formula Recognition:',
};
const MAX_TOKENS = 8_192;

/** The OpenAI-compatible form, as vLLM and SGLang serve it. `image`: a data URI. */
export function chatRequest(image: string, model: string, task: GlmOcrTask): object {
  return {
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: image } },
          { type: 'text', text: PROMPTS[task] },
        ],
      },
    ],
    max_tokens: MAX_TOKENS,
    temperature: 0,
  };
}

const answerSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.nullish(z.string()) }), finish_reason: z.nullish(z.string()) })),
});

export interface ChatAnswer {
  readonly text: string;
  /** The model was stopped by the limit of tokens. */
  readonly cut: boolean;
}

/** Throws GalleyError `upstream_failed` where the answer is not of this form. */
export function readChatAnswer(body: string): ChatAnswer {
  const [choice] = parseAnswer(answerSchema, body).choices;
  if (choice === undefined) throw new GalleyError('upstream_failed', 'The GLM-OCR server answered without a choice.');
  return { text: choice.message.content ?? '', cut: choice.finish_reason === 'length' };
}
