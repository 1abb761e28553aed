import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

export interface UnsignedRequest {
  readonly method: string;
  /** As it will be sent, query and all. */
  readonly url: string;
  /** Must hold `x-amz-content-sha256` where there is a body. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface S3Keys {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SignedRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Without it a request would be sent as one whose payload nobody vouches for. */
const SHA256_OF_NOTHING = createHash('sha256').digest('hex');

/** Signs a request by AWS Signature Version 4. `datetime`: as in `20130524T000000Z`; now where it is left out. */
export async function signRequest(request: UnsignedRequest, keys: S3Keys, datetime?: string): Promise<SignedRequest> {
  const { method, url } = request;
  const headers = { 'x-amz-content-sha256': SHA256_OF_NOTHING, ...request.headers };
  const { region, accessKeyId, secretAccessKey } = keys;
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    ...(datetime === undefined ? {} : { datetime }),
  });
  const signed = await signer.sign();
  return { url: signed.url, headers: { ...headers, ...Object.fromEntries(signed.headers.entries()) } };
}
