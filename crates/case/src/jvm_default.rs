//! Objects that the JDK uses by default, and that a program may replace for the whole JVM.

use serde::{Deserialize, Serialize};

/// One such object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum JvmDefault {
    /// `Authenticator.setDefault`
    Authenticator,
    /// `CookieHandler.setDefault`
    CookieHandler,
    /// `HttpsURLConnection.setDefaultHostnameVerifier`
    HostnameVerifier,
    /// `ProxySelector.setDefault`
    ProxySelector,
    /// `ResponseCache.setDefault`
    ResponseCache,
    /// `Thread.setDefaultUncaughtExceptionHandler`
    UncaughtExceptionHandler,
}

/// Where the JDK keeps such an object, and the methods by which programs reach it.
#[derive(Debug)]
pub struct JvmDefaultRow {
    /// Which it is.
    pub default: JvmDefault,
    /// Internal name of the class with the methods and the field.
    pub holder: &'static str,
    /// The static field.
    pub field: &'static str,
    /// Internal name of the type of the object.
    pub ty: &'static str,
    /// The name of the getter and the setter, without `get` and `set`.
    pub property: &'static str,
    /// Internal name of the class of the object that the JDK itself provides; empty if it provides none.
    pub provided: &'static str,
}

/// All of them.
pub const JVM_DEFAULTS: [JvmDefaultRow; 6] = [
    row(JvmDefault::Authenticator, "java/net/Authenticator", "theAuthenticator", "java/net/Authenticator"),
    row(JvmDefault::CookieHandler, "java/net/CookieHandler", "cookieHandler", "java/net/CookieHandler"),
    JvmDefaultRow {
        property: "DefaultHostnameVerifier",
        provided: "javax/net/ssl/HttpsURLConnection$DefaultHostnameVerifier",
        ..row(
            JvmDefault::HostnameVerifier,
            "javax/net/ssl/HttpsURLConnection",
            "defaultHostnameVerifier",
            "javax/net/ssl/HostnameVerifier",
        )
    },
    JvmDefaultRow {
        provided: "sun/net/spi/DefaultProxySelector",
        ..row(
            JvmDefault::ProxySelector,
            "java/net/ProxySelector",
            "theProxySelector",
            "java/net/ProxySelector",
        )
    },
    row(JvmDefault::ResponseCache, "java/net/ResponseCache", "theResponseCache", "java/net/ResponseCache"),
    JvmDefaultRow {
        property: "DefaultUncaughtExceptionHandler",
        ..row(
            JvmDefault::UncaughtExceptionHandler,
            "java/lang/Thread",
            "defaultUncaughtExceptionHandler",
            "java/lang/Thread$UncaughtExceptionHandler",
        )
    },
];

const fn row(
    default: JvmDefault,
    holder: &'static str,
    field: &'static str,
    ty: &'static str,
) -> JvmDefaultRow {
    JvmDefaultRow { default, holder, field, ty, property: "Default", provided: "" }
}

impl JvmDefault {
    /// Its row.
    pub fn row(self) -> &'static JvmDefaultRow {
        // The order of the rows is that of the variants.
        &JVM_DEFAULTS[self as usize]
    }

    /// The simple name of the type of the object: `Authenticator`.
    pub fn type_name(self) -> &'static str {
        let class = self.row().ty;
        class.rsplit(['/', '$']).next().unwrap_or(class)
    }

    /// Its name in messages: `default Authenticator`.
    pub fn name(self) -> String {
        format!("default {}", self.type_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_variants() {
        for row in &JVM_DEFAULTS {
            assert_eq!(row.default.row().field, row.field);
        }
        assert_eq!(JvmDefault::UncaughtExceptionHandler.name(), "default UncaughtExceptionHandler");
    }
}
