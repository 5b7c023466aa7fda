//! Requests about one member's own file, and about versions.
//!
//! What it is: defragmentation, and a downgrade as far as it is a note in the log.
//! What it is not: another version's behaviour: this engine behaves as one version only.
//! Source: behaviour of etcd `api/v3rpc/maintenance.go`, `version/downgrade.go`.

use super::io::RequestId;
use super::request::Operation;
use super::server::Server;
use crate::api::{
    DefragmentResponse, DowngradeAction, DowngradeInfo, DowngradeRequest, DowngradeResponse, Error,
    Response,
};
use crate::auth::AuthInfo;

/// The version that all members agree on: major and minor.
const CLUSTER_VERSION: (u64, u64) = (3, 7);

impl Server {
    /// Gives the free pages back; the meta record keeps the new size.
    pub(super) fn defragment(&mut self) -> Response {
        self.store.defragment();
        self.disk.applied(Vec::new());
        Response::Defragment(DefragmentResponse {})
    }

    pub(super) fn downgrade_response(&self) -> DowngradeResponse {
        let (major, minor) = CLUSTER_VERSION;
        DowngradeResponse { header: self.header(), version: format!("{major}.{minor}") }
    }

    pub(super) fn downgrade(
        &mut self,
        client: RequestId,
        who: AuthInfo,
        request: &DowngradeRequest,
    ) -> Result<(), Error> {
        let info = match request.action {
            DowngradeAction::Validate => {
                self.check_downgrade(&request.version)?;
                let response = self.downgrade_response();
                self.reply(client, Ok(Response::Downgrade(response)));
                return Ok(());
            }
            DowngradeAction::Enable => {
                let target_version = self.check_downgrade(&request.version)?;
                DowngradeInfo { enabled: true, target_version }
            }
            DowngradeAction::Cancel => DowngradeInfo::default(),
        };
        self.propose(client, Operation::DowngradeInfoSet(info), who);
        Ok(())
    }

    /// The target, if the cluster may go there: to the minor version before, and not twice.
    fn check_downgrade(&self, version: &str) -> Result<String, Error> {
        let target = minor_version(version).ok_or(Error::WrongDowngradeVersionFormat)?;
        let (major, minor) = CLUSTER_VERSION;
        if target != (major, minor - 1) {
            return Err(Error::InvalidDowngradeTargetVersion);
        }
        if self.downgrade.enabled {
            return Err(Error::DowngradeInProcess);
        }
        Ok(format!("{}.{}.0", target.0, target.1))
    }
}

/// Major and minor of a semantic version, of which the last number may be missing: `3.6`, `3.6.1-rc.0+x`.
fn minor_version(text: &str) -> Option<(u64, u64)> {
    let (version, metadata) = text.split_once('+').unwrap_or((text, "x"));
    let (numbers, release) = version.split_once('-').unwrap_or((version, "x"));
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if ![metadata, release].into_iter().flat_map(|parts| parts.split('.')).all(is_part) {
        return None;
    }
    let numbers: Vec<u64> = numbers.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    match numbers.as_slice() {
        [major, minor] if version == text && !version.contains('-') => Some((*major, *minor)),
        [major, minor, _] => Some((*major, *minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_any_semantic_version() {
        for good in ["3.6", "3.6.0", "3.6.12-rc.1", "3.6.0+x", "3.6.0-a.b-c+d.5"] {
            assert_eq!(minor_version(good), Some((3, 6)), "{good}");
        }
        for bad in ["", "3", "3.6.0.0", "v3.6", "3.x", "3.6-rc.1", "3.6.0-", "3.6.0+", "3.6.0-a..b"]
        {
            assert_eq!(minor_version(bad), None, "{bad}");
        }
    }
}
