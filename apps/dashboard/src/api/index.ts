export * from './calls.ts';
export { type CallOptions, call, callEmpty, callRaw, onRefusal, routeUrl } from './client.ts';
export { ApiError, asApiError, isAbort } from './error.ts';
export { getTaskResult, pageImageUrl, type ResultAnswer, resultUrl } from './result.ts';
export { type DocumentUpload, submitDocuments } from './upload.ts';
export { type Resource, useResource } from './useResource.ts';
